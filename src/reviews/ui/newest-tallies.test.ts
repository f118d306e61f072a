import { expect, test } from "vitest";
import { HEARD_EVERYWHERE, newestTallies } from "./newest-tallies.ts";

const tally = (yes: number, latest_at: string | null) => ({ no: 0, very_little: 0, yes, latest_at });
const before = tally(1, "2025-08-04T12:00:00.000Z");
const after = tally(2, "2025-08-04T12:00:01.000Z");
const listed = (tallies: typeof before | undefined, askedAt = 0) => ({ tallies, askedAt });
const answered = (tallies: typeof before, answeredAt = 0) => ({ tallies, answeredAt });

test("tallies that know the newer review are believed, wherever they came from", () => {
  expect(newestTallies(listed(before), answered(after))).toBe(after);
  expect(newestTallies(listed(after), answered(before))).toBe(after);
  expect(newestTallies(listed(tally(0, null)), answered(before))).toBe(before);
});

test("of tallies that know the same review those of the answer are believed", () => {
  const same = { ...before };
  expect(newestTallies(listed(before), answered(same))).toBe(same);
});

test("a list that was asked for when every server had heard of the review is believed: the review may be removed by now", () => {
  const none = tally(0, null);
  expect(newestTallies(listed(none, 10_001 + HEARD_EVERYWHERE), answered(after, 10_000))).toBe(none);
  expect(newestTallies(listed(none, 9_000 + HEARD_EVERYWHERE), answered(after, 10_000))).toBe(after);
});

test("what is known of one side only is what is known", () => {
  expect(newestTallies(listed(undefined, 1e9), answered(before))).toBe(before);
  expect(newestTallies(listed(before), undefined)).toBe(before);
  expect(newestTallies(listed(undefined), undefined)).toBeUndefined();
});
