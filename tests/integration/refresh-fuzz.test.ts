import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { festivalArbitrary, startFuzzedRefresh } from "../support/fuzz/fuzzed-refresh.ts";

let fuzzed: Awaited<ReturnType<typeof startFuzzedRefresh>>;

beforeAll(async () => {
  fuzzed = await startFuzzedRefresh();
});
afterAll(() => fuzzed.close());

test("lists every good record, and skips and counts bad ones, for any pages of the API", async () => {
  expect.hasAssertions();
  await fc.assert(fc.asyncProperty(festivalArbitrary, untilTimeLimit(fuzzed.refreshFrom)), fuzzRuns(6));
});

test("fails and changes nothing when the API repeats its pages without end", async () => {
  expect.hasAssertions();
  await fuzzed.refreshFromEndlessList();
});
