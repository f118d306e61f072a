import { expect, test } from "vitest";
import { newestTallies, PROPAGATION_DELAY } from "./newest-tallies.ts";

const tally = (yes: number, latest_at: string | null) => ({ no: 0, very_little: 0, yes, latest_at });
const before = tally(1, "2025-08-04T12:00:00.000Z");
const after = tally(2, "2025-08-04T12:00:01.000Z");
const listed = (tallies: typeof before | undefined, requestedAt = 0) => ({ tallies, requestedAt });
const received = (tallies: typeof before, receivedAt = 0) => ({ tallies, receivedAt });

test("tallies with the newer review win, wherever they came from", () => {
  expect(newestTallies(listed(before), received(after))).toBe(after);
  expect(newestTallies(listed(after), received(before))).toBe(after);
  expect(newestTallies(listed(tally(0, null)), received(before))).toBe(before);
});

test("with the same newest review, the tallies of the response win", () => {
  const same = { ...before };
  expect(newestTallies(listed(before), received(same))).toBe(same);
});

test("a list requested after the propagation delay wins: the review may have been removed", () => {
  const none = tally(0, null);
  expect(newestTallies(listed(none, 10_001 + PROPAGATION_DELAY), received(after, 10_000))).toBe(none);
  expect(newestTallies(listed(none, 9_000 + PROPAGATION_DELAY), received(after, 10_000))).toBe(after);
});

test("when only one side is known, it wins", () => {
  expect(newestTallies(listed(undefined, 1e9), received(before))).toBe(before);
  expect(newestTallies(listed(before), undefined)).toBe(before);
  expect(newestTallies(listed(undefined), undefined)).toBeUndefined();
});

test("after a deletion its response wins over an outdated list, whose newest review may be the deleted one", () => {
  const removal = { ...received(before, 10_000), isRemoval: true };
  expect(newestTallies(listed(after, 9_000), removal)).toBe(before);
  expect(newestTallies(listed(after, 10_001 + PROPAGATION_DELAY), removal)).toBe(after);
});
