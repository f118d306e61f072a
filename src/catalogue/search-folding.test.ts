import anyAscii from "any-ascii";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanSearch } from "../domain/show-query.ts";
import { plainSpelling } from "./latin-letters.ts";
import { createSearchMatcher, nameOf } from "./search-folding.ts";

test.each([
  ["Müller", "muller|mueller|MÜLLER|mu\u0308ller|ｍｕｅｌｌｅｒ|ueller", "moller|mueeller"],
  ["Frau Mueller", "müller|mueller", "muller"],
  ["Muller", "müller", "mueller"],
  ["Århus", "aarhus|arhus|århus|A\u030arhus|Årh", "aerhus"],
  ["Hos Aarhus Å", "århus|aarhus aa|århus a", "hos arhus"],
  ["Ærø", "aero|aeroe|ærö|ärø|aeroe", "aroe"],
  ["Jørgen & Jörg", "jorgen and joerg|joergen and jorg|jörgen|jørg", "jargen"],
  ["Straße", "strasse|STRASSE|straße", "strase"],
  ["Blue Poet", "blue|poet", "blu p|pot"],
  ["O'Neill", "oneill|o’neill|O`Neill|o´neill|oʼneill|o′neill|o＇neill|'neill", "o neill"],
  ["Dundee Calling (WIP)", "dundee calling wip|calling: [wip]|calling-wip|(wip|wip)", "callingwip"],
  ["AC/DC", "ac dc|ac-dc|c/d|/dc|ac/|acdc|AC:DC", "a cdc|ac / d c"],
  [
    "T.L.C. & F**k-Ups: J*Y*J",
    "tlc|t l c|tl.c.|tlc and fk ups|f k ups|F**k|jyj|j y j|c. & f|tlc and f k-ups jyj",
    "tlcand|fups",
  ],
  ["2,024 Ways (w/ E.T.)", "2024|2 024|2.024|w/|w/ et|w e t", "20 24|waysw|wayswet"],
  ["The X Files / 4x4", "x-files|the/x|files 4x4|files/4x4", "xfiles|4 x 4"],
  ["8½ Weeks, 3¾", "8½|8 1/2|8 ½|½ weeks|12 weeks|3 3/4|¾", "8½weeks|33/4"],
  ["Ä.Ö./Ü-x", "äöüx|aeoeuex|aou x|ä ö ü x|ae.oe.ue.x|ö./ü", "äöü  y"],
  ["A.E. Housman", "ae housman|ä housman|a e housman|e housman", "aehousman"],
  ["Will It? Yes!", "it? y|it?|will it yes|it – yes!!", "will yes"],
  ["100% Real_Thing C++", "100%|real_thing|c++|%", "100 %|real thing|c#"],
  ["Really?! (No)", "?!|?|!|(", "!?|!!|'|["],
  ["Rock ’n’ Roll", "’n|rock n roll|’", "'"],
  ["İstanbul ΟΔΟΣ", "istanbul οδος|ΟΔΟΣ|οδοσ", "ιstanbul"],
  ["Łódź, Œuvre, Þór, Đặng", "lodz oeuvre thor dang", "lods"],
  ["ﬁn ｆｕｌｌ－width ĳ Ⅷ ½ ％", "fin full width ij viii 1 2 %", "fi n"],
  ["\u200egr\u00adeat\u00a0\t\u200b hag\ufeffgis\ufe0f\n", "great haggis|great  haggis", "greathaggis"],
  ["Salt & Sauce…", "salt and sauce|salt &", "salt sauce"],
  ["Hawaiʻi ′n′ Qurʾan ＇90s ´80s `70s", "hawaii n quran 90s 80s 70s", "hawai i"],
  ["«Quoted» ‹twice› „low“ 12″ 3∕4 −5", "quoted twice low 12 3 4 5|34", "45"],
  ["한국의 밤", "한국|국의 밤", "밤국"],
  ["か\u3099ん", "か|がん", "き"],
])("%j is found by each of %j, and by none of %j", (text, found, others) => {
  expect(found.split("|").filter((search) => !createSearchMatcher(search)(text))).toEqual([]);
  expect(others.split("|").filter((search) => createSearchMatcher(search)(text))).toEqual([]);
});

test.each([
  ["Müller’s Café", "muller’s cafe|MÜLLERS CAFÉ", "Mueller’s Café|Moller’s Café"],
  ["To", "to!", "Toe|Too"],
  ["Boat", "BOAT", "Bot|Bat"],
  ["Joe Brown", "joe  brown", "Jo Brown"],
])("%j is the name of %j, and not of %j", (title, same, others) => {
  const name = (one: string) => nameOf({ title: one, artist: one });
  for (const one of same.split("|")) expect(name(one)).toBe(name(title));
  for (const one of others.split("|")) expect(name(one)).not.toBe(name(title));
});

const apostrophes = ["'", "’", "‘", "ʼ", "`", "´", "′", "＇", "ʻ", "‛"];
const others = [...'-–—‐−－“”„"«»()[]（）{}:;,.!?/…¿¡：！？*', "..."];
const symbols = [..."%_\\+#$&@", "％", "＃"];
const decomposed = ["u\u0308", "a\u030a", "o\u0323\u0308", "\u3099", "\u0301"];
const letters = [..."aeouäöüåøæßÄÖÜÅØÆẞéÉłñsxyz019ﬁſΟΣςか한🎭Ⅷ½", ...decomposed];
const blanks = [" ", "  ", "\u00a0", "\u200b", "\u00ad", "\ufeff"];
const piece = fc.constantFrom(...letters, ...letters, ...apostrophes, ...others, ...symbols, ...blanks);
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 12, size: "max" }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc
    .array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 2 })), { maxLength: 12 })
    .map((parts) => parts.join("")),
);

test("a text that contains the search literally is found, in any case", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (before, middle, after) => {
      const text = before + middle + after;
      const search = cleanSearch(middle);
      fc.pre(search !== "" && text.includes(search));
      const [lower, upper] = [search.toLowerCase(), search.toUpperCase()];
      // Upper and lower case of other letters do not convert back.
      const searches = upper.toLowerCase() === lower ? [search, lower, upper] : [search];
      expect(searches.filter((one) => !createSearchMatcher(one)(text))).toEqual([]);
    }),
    { numRuns: 5_000, examples: [["", "Ɂ", ""]] },
  );
});

const word = fc.array(fc.constantFrom(..."abeortuxz"), { minLength: 1, maxLength: 4 });
/** Words with apostrophes inside, and with punctuation around and between them. */
const withNoise = (words: readonly (readonly string[])[]) =>
  fc
    .tuple(
      fc.array(fc.array(fc.constantFrom(...others, " ", "\u00a0"), { minLength: 1, maxLength: 3 }), {
        minLength: words.length + 1,
        maxLength: words.length + 1,
      }),
      fc.array(fc.constantFrom("", "", "", ...apostrophes, "\u00ad"), { minLength: 20, maxLength: 20 }),
    )
    .map(([gaps, noise]) => {
      const inner = words.map((characters) =>
        characters.flatMap((one, at) => [one, noise[at] ?? ""]).join(""),
      );
      return gaps.map((gap, at) => gap.join("") + (inner[at] ?? "")).join("");
    });

test("punctuation and apostrophes make no difference, on both sides", () => {
  const cases = fc
    .array(word, { minLength: 1, maxLength: 4 })
    .chain((words) => fc.tuple(withNoise(words), withNoise(words)));
  fc.assert(
    fc.property(cases, ([text, noisySearch]) => {
      expect(createSearchMatcher(cleanSearch(noisySearch))(text)).toBe(true);
    }),
  );
});

/** Spellings of a letter: itself, and others for keyboards without it. */
const spellings = [
  ["ä", "a", "ae", "a\u0308"], ["ö", "o", "oe", "ø"], ["ü", "u", "ue", "u\u0308"], ["å", "a", "aa", "A\u030a"], ["ø", "o", "oe", "ö"],
  ["æ", "ae", "Æ"], ["ß", "ss", "ẞ"], ["x", "X"], ["e", "é"], ["a", "á"], ["u"],
] as const; // biome-ignore format: a table

test("a letter is found by all of its spellings, and finds them, in any mixture", () => {
  const letter = fc
    .constantFrom(...spellings)
    .chain((all) => fc.tuple(fc.constant(all[0]), fc.constantFrom(...all), fc.boolean()))
    .map(([original, spelled, isInText]) => (isInText ? [original, spelled] : [spelled, original]));
  fc.assert(
    fc.property(fc.array(letter, { minLength: 1, maxLength: 30 }), anyText, (word, around) => {
      const text = word.map(([inText]) => inText).join("");
      const search = word.map(([, inSearch]) => inSearch).join("");
      expect(createSearchMatcher(search)(`${around} ${text} ${around}`)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("a search with many spellings takes no longer", () => {
  const text = "üeöeåa".repeat(50);
  expect(createSearchMatcher(`${"üeöeåa".repeat(16)}x`)(text)).toBe(false);
  expect(createSearchMatcher("å".repeat(99))("a".repeat(300))).toBe(true);
});

test("each Latin letter without a decomposition has the spelling of any-ascii", () => {
  const codePoints = Array.from({ length: 0x110000 - 0x80 }, (_, index) => index + 0x80);
  const letters = codePoints
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((text) => /^\p{Script=Latin}$/u.test(text) && text.normalize("NFKD").toLowerCase() === text);
  expect(letters.length).toBeGreaterThan(400);
  expect(letters.map((letter) => [letter, plainSpelling(letter)])).toEqual(
    letters.map((letter) => [letter, anyAscii(letter).toLowerCase()]),
  );
});
