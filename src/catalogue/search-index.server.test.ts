import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanSearch } from "../domain/show-query.ts";
import { createSearchMatcher } from "./search-folding.ts";
import { createSearchIndex } from "./search-index.server.ts";

const pieces = fc.constantFrom(
  ..."a b ab e ae ba ue ß ü å σ 한 🎭 ' ! - \0".split(" "), "the ", " ",
); // biome-ignore format: a list of pieces
const text = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

/** Substrings of the texts, and other strings. */
const searches = (texts: readonly string[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom("", ...texts), fc.nat(12), fc.integer({ min: 1, max: 8 })).map(([of, from, length]) => of.slice(from, from + length)),
    text,
    fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
  ).map(cleanSearch).filter((search) => search !== ""); // biome-ignore format: a list of kinds

const programmes = fc
  .array(text, { maxLength: 40, size: "max" })
  .chain((texts) =>
    fc.record({ texts: fc.constant(texts), queries: fc.array(searches(texts), { maxLength: 20 }) }),
  );

test("finds exactly the texts with a matching field", async () => {
  await fc.assert(
    fc.asyncProperty(programmes, async ({ texts, queries }) => {
      const index = await createSearchIndex(texts);
      for (const search of queries) {
        const matches = createSearchMatcher(search);
        const matching = [...texts.keys()].filter((number) => texts[number]?.split("\0").some(matches));
        expect(index.find(search)).toEqual(matching);
        expect(index.find(search)).toEqual(matching);
      }
    }),
    { numRuns: 200 },
  );
});
