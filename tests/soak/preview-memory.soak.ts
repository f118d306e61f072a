import { expect, test } from "vitest";
import type { Preview } from "../../src/shows/preview/preview.server.ts";
import { createDrawPreview } from "../../src/shows/preview/previews.server.ts";
import { printFigure } from "../support/print-figure.ts";

const PICTURES = 400;

/** Of these pictures, those that fill caches and the allocator's pools. */
const FIRST = 50;

/** How much the others may add to the resident memory, in bytes: pictures that are kept, and room to spare. */
const MAX_GROWTH = 150_000_000;

const preview = (n: number): Preview => ({
  title: `Owls of Leith ${n} ${"again and ".repeat(n % 25)}مسرحية 🎭`,
  artist: `Troupe ${n}`,
  venue: "The Dock",
  isCancelled: n % 2 === 0,
  badge: null,
  sentences: [`${n} of 400 said Yes.`],
});

test("400 pictures in one thread leave the resident memory bounded", async () => {
  const draw = createDrawPreview(() => {});
  let before = 0;
  for (let n = 0; n < PICTURES; n++) {
    if (n === FIRST) before = process.memoryUsage.rss();
    await draw(preview(n), "198.51.100.1");
  }
  const growth = process.memoryUsage.rss() - before;
  printFigure("resident memory that 350 pictures add", growth / 1e6, "MB");
  expect(growth).toBeLessThan(MAX_GROWTH);
});
