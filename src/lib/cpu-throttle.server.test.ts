import { expect, test } from "vitest";
import { createCpuThrottle } from "./cpu-throttle.server.ts";

const PARTS = 4;
/** In ms: longer than a slice. */
const PART = 6;

test("work takes a quarter of the event loop", async () => {
  const throttle = createCpuThrottle();
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  const began = performance.now();
  for (let part = 0; part < PARTS; part++) {
    work();
    await throttle();
  }
  clearInterval(others);
  expect(turns).toBeGreaterThanOrEqual(PARTS);
  // Timers of Node may end a millisecond early.
  expect(performance.now() - began).toBeGreaterThanOrEqual(PARTS * (4 * PART - 1));
});

// Without its limit, the pause would be an hour.
test("a pause is bounded", { timeout: 60_000 }, async () => {
  const throttle = createCpuThrottle(1e-6);
  work();
  await throttle();
});

function work(): void {
  const end = performance.now() + PART;
  while (performance.now() < end);
}
