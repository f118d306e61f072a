import { expect, test } from "vitest";
import { cleanNotes, mostCommonInteraction } from "./review.ts";

test.each([
  [{ no: 0, very_little: 0, yes: 0 }, null],
  [{ no: 3, very_little: 1, yes: 2 }, "no"],
  [{ no: 2, very_little: 2, yes: 0 }, "very_little"],
  [{ no: 2, very_little: 1, yes: 2 }, "yes"],
  [{ no: 1, very_little: 1, yes: 1 }, "yes"],
])("the most common interaction of %j is %s: on a tie, the more interactive one", (counts, expected) => {
  expect(mostCommonInteraction({ ...counts, latest_at: null })).toBe(expected);
});

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j",
  (notes) => {
    expect(cleanNotes(notes)).toBeNull();
    expect(cleanNotes(`${notes}x`)).not.toBeNull();
  },
);
