import { expect, test } from "vitest";
import { newestTallies } from "./use-tallies.ts";

const tally = (yes: number, revision: number) => ({ no: 0, very_little: 0, yes, latest_at: null, revision });

test("tallies with the greater revision win, wherever they came from", () => {
  const [older, newer] = [tally(2, 7), tally(1, 8)];
  expect(newestTallies(older, newer)).toBe(newer);
  expect(newestTallies(newer, older)).toBe(newer);
});

test("when only one side is known, it wins", () => {
  const known = tally(1, 1);
  expect(newestTallies(undefined, known)).toBe(known);
  expect(newestTallies(known, undefined)).toBe(known);
  expect(newestTallies(undefined, undefined)).toBeUndefined();
});
