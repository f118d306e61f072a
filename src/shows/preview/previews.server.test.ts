import { expect, test } from "vitest";
import type { Preview } from "./preview.server.ts";
import { createDrawPreview } from "./previews.server.ts";

const previewOf = (title: string): Preview => ({
  title,
  artist: null,
  venue: "The Dock",
  isCancelled: false,
  badge: null,
  sentences: [],
});

test("clients take turns: the pictures of one that asks for many, and those that others also want, wait", async () => {
  const draw = createDrawPreview(() => {});
  let drawn = 0;
  const flood = Array.from({ length: 20 }, async (_, n) => {
    await draw(previewOf(`Moth ${n}`), "203.0.113.1");
    drawn++;
  });
  const pictures = await Promise.all([
    draw(previewOf("Owl"), "198.51.100.1"),
    draw(previewOf("Moth 19"), "198.51.100.2"),
  ]);
  for (const picture of pictures) expect(picture.length).toBeGreaterThan(1_000);
  expect(drawn).toBeLessThan(5);
  await Promise.allSettled(flood);
});
