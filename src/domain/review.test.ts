import { expect, test } from "vitest";
import { cleanNotes, mostCommonInteraction } from "./review.ts";

test.each([
  [{ no: 0, very_little: 0, yes: 0 }, null],
  [{ no: 3, very_little: 1, yes: 2 }, "no"],
  [{ no: 2, very_little: 2, yes: 0 }, "very_little"],
  [{ no: 2, very_little: 1, yes: 2 }, "yes"],
  [{ no: 1, very_little: 1, yes: 1 }, "yes"],
])(
  "the most common interaction of %j is %s; the more interactive one wins a tie (docs/product.md §3.4)",
  (counts, expected) => {
    expect(mostCommonInteraction(counts)).toBe(expected);
  },
);

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j (docs/product.md §5.7)",
  (notes) => {
    expect(cleanNotes(notes)).toBeNull();
    expect(cleanNotes(`${notes}x`)).not.toBeNull();
  },
);
