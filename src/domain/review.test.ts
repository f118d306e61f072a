import { expect, test } from "vitest";
import { cleanNotes } from "./review.ts";

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j (docs/product.md §5.7)",
  (notes) => {
    expect(cleanNotes(notes)).toBeNull();
    expect(cleanNotes(`${notes}x`)).not.toBeNull();
  },
);
