import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { festivals, startFuzzedRefresh } from "../support/fuzz/fuzzed-refresh.ts";
import { rounds, whileThereIsTime } from "../support/fuzz/rounds.ts";

let fuzzed: Awaited<ReturnType<typeof startFuzzedRefresh>>;

beforeAll(async () => {
  fuzzed = await startFuzzedRefresh();
});
afterAll(() => fuzzed.close());

test("whatever the festival's API sends, the list is whole, good records are kept and bad ones skipped and counted", async () => {
  expect.hasAssertions();
  await fc.assert(fc.asyncProperty(festivals, whileThereIsTime(fuzzed.refreshFrom)), rounds(15));
});

test("a list that goes in circles is given up, and the list stays as it is", async () => {
  expect.hasAssertions();
  await fuzzed.refreshInCircles();
});
