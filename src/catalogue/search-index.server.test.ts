import fc from "fast-check";
import { expect, test } from "vitest";
import { createSearchIndex } from "./search-index.server.ts";

const pieces = fc.constantFrom("a", "b", "ab", "ba", "the ", "ß", "σ", "한", "🎭", "\0", " ");
const text = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

/** Substrings of the texts, and other texts. */
const searches = (texts: readonly string[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom("", ...texts), fc.nat(12), fc.integer({ min: 1, max: 8 })).map(([of, from, length]) => of.slice(from, from + length)),
    text,
    fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
  ).filter((search) => search !== "" && !search.includes("\0")); // biome-ignore format: a list of kinds

const programmes = fc
  .array(text, { maxLength: 40, size: "max" })
  .chain((texts) =>
    fc.record({ texts: fc.constant(texts), queries: fc.array(searches(texts), { maxLength: 20 }) }),
  );

test("exactly the texts that contain the search are found", async () => {
  await fc.assert(
    fc.asyncProperty(programmes, async ({ texts, queries }) => {
      const index = await createSearchIndex(texts);
      for (const search of queries) {
        const containing = [...texts.keys()].filter((number) => texts[number]?.includes(search));
        expect(index.find(search)).toEqual(containing);
        expect(index.find(search)).toEqual(containing);
      }
    }),
    { numRuns: 200 },
  );
});
