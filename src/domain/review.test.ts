import { expect, test } from "vitest";
import { cleanText } from "./review.ts";

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j (docs/product.md §5.7)",
  (notes) => {
    expect(cleanText(notes)).toBeNull();
    expect(cleanText(`${notes}x`)).not.toBeNull();
  },
);
