import { expect, test } from "vitest";
import { createPace } from "./pace.server.ts";

const PARTS = 4;
/** In ms: longer than a slice. */
const PART = 6;

test("after each part of long work, others get three times as long", async () => {
  const pauseIfDue = createPace();
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  const began = performance.now();
  for (let part = 0; part < PARTS; part++) {
    work();
    await pauseIfDue();
  }
  clearInterval(others);
  expect(turns).toBeGreaterThanOrEqual(PARTS);
  // Timers of Node may end a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(PARTS * (4 * PART - 1));
});

test("no pause is longer than its limit", async () => {
  const pauseIfDue = createPace(1_000_000);
  work();
  await pauseIfDue();
});

function work(): void {
  const end = performance.now() + PART;
  while (performance.now() < end);
}
