import fc from "fast-check";
import { expect, test } from "vitest";
import { growSearchIndex } from "./search-index.server.ts";

function indexOf(texts: readonly string[]) {
  const growing = growSearchIndex();
  texts.forEach(growing.add);
  return growing.pack();
}

const pieces = fc.constantFrom("a", "b", "ab", "ba", "the ", "ß", "σ", "한", "🎭", "\0", " ");
const text = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

/** A part of one of the texts, or any other text. */
const searches = (texts: readonly string[]) =>
  fc.oneof(
    fc.tuple(fc.constantFrom("", ...texts), fc.nat(12), fc.integer({ min: 1, max: 8 })).map(([of, from, length]) => of.slice(from, from + length)),
    text,
    fc.string({ unit: "binary", minLength: 1, maxLength: 4 }),
  ).filter((search) => search !== ""); // biome-ignore format: a list of kinds

const programmes = fc
  .array(text, { maxLength: 40, size: "max" })
  .chain((texts) => fc.record({ texts: fc.constant(texts), asked: fc.array(searches(texts), { maxLength: 20 }) }));

const naive = (texts: readonly string[], wanted: string) =>
  texts.flatMap((text, number) => (text.includes(wanted) ? [number] : []));

test("whatever the texts and the search, just those texts are found that contain it", async () => {
  await fc.assert(
    fc.asyncProperty(programmes, async ({ texts, asked }) => {
      const index = await indexOf(texts);
      for (const wanted of [...asked, ...asked]) expect([...index.find(wanted)]).toEqual(naive(texts, wanted));
    }),
    { numRuns: 60 },
  );
});

test("texts of more different characters than there are symbols are told apart all the same", async () => {
  const texts = Array.from({ length: 3_000 }, (_, number) =>
    String.fromCharCode(...[0, 1, 2, 3].map((n) => 0x4e00 + number + n)),
  );
  const index = await indexOf(texts);
  for (const number of [0, 900, 1_022, 1_023, 1_024, 2_000, 2_999]) {
    for (const length of [1, 2, 3, 4]) {
      const wanted = texts[number]?.slice(0, length) ?? "";
      expect([...index.find(wanted)]).toEqual(naive(texts, wanted));
    }
  }
  expect([...index.find("\u4dff")]).toEqual([]);
});
