import { expect, test } from "vitest";
import { newestTallies } from "./newest-tallies.ts";

const at = (yes: number, latest_at: string | null) => ({ no: 0, very_little: 0, yes, latest_at });
const before = at(1, "2025-08-04T12:00:00.000Z");
const after = at(2, "2025-08-04T12:00:01.000Z");

test("tallies that know the newer review are believed, wherever they came from", () => {
  expect(newestTallies(before, after)).toBe(after);
  expect(newestTallies(after, before)).toBe(after);
  expect(newestTallies(at(0, null), before)).toBe(before);
});

test("of tallies that know the same review those of the answer are believed", () => {
  const answered = { ...before };
  expect(newestTallies(before, answered)).toBe(answered);
});

test("what is known of one side only is what is known", () => {
  expect(newestTallies(undefined, before)).toBe(before);
  expect(newestTallies(before, undefined)).toBe(before);
  expect(newestTallies(undefined, undefined)).toBeUndefined();
});
