import fc from "fast-check";
import { expect, test } from "vitest";
import { declarations } from "./declared.ts";
import { interactions } from "./review.ts";
import { cleanSearch, formatShowQuery, MAX_SEARCH, parseShowQuery, yesFilters } from "./show-query.ts";

const parse = (query: string) => parseShowQuery(new URLSearchParams(query));

test.each([
  ["  cats  ", "cats"],
  ["<script>alert(1)</script>cats", "cats"],
  ["ca<script src=x>ts", "cats"],
  ["cats</SCRIPT >", "cats"],
  ["<scr<script>ipt>cats", "cats"],
  ["a<script>b<script>c</script>d</script>e", "ade"],
  ["a<scr</script>ipt>b</script>c", "ac"],
  ["<script", "<script"],
  ["<b>cats</b>", "<b>cats</b>"],
  ["scripted <scripture>", "scripted <scripture>"],
  ["a\0b", "ab"],
  ["\u200b \u00ad", ""],
  ["\u3164", ""],
  ["\u200bcats", "\u200bcats"],
  // A script element is stripped before the search is cut, unless it ends beyond the parsed part.
  [`<script>${"x".repeat(500)}</script>cats`, "cats"],
  [`<script>${"x".repeat(5_000)}</script>cats`, "x".repeat(MAX_SEARCH)],
  ["x".repeat(101), "x".repeat(100)],
  // A long text with an address is the address, without what counts visits.
  [`${"Hats ".repeat(20)} https://a.example/b?utm_source=x&y=1&fbclid=2#c now`, "https://a.example/b?&y=1&"],
  [`${"Hats ".repeat(20)} https://a.example/${"b".repeat(99)}`, `https://a.example/${"b".repeat(82)}`],
  [`${"x".repeat(99)}🎭`, "x".repeat(99)],
  [`${"x".repeat(98)}🎭`, `${"x".repeat(98)}🎭`],
])("the search %.40s is cleaned to %.40s (docs/product.md §2.5)", (text, cleaned) => {
  expect(cleanSearch(text)).toBe(cleaned);
});

const part = fc.constantFrom("<script", ">", "</script", "<", " ", "a", "🎭", "\ud83c", "\0");
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 250 }),
  fc.array(part, { maxLength: 120 }).map((parts) => parts.join("")),
);

test("a cleaned search is short, well-formed, trimmed and without script tags; cleaning is idempotent", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const cleaned = cleanSearch(text);
      expect(cleaned.length).toBeLessThanOrEqual(MAX_SEARCH);
      expect(cleaned.isWellFormed()).toBe(true);
      expect(cleaned).toBe(cleaned.trim());
      expect(cleaned).not.toMatch(/<\/?script\b[^>]*>/i);
      expect(cleanSearch(cleaned)).toBe(cleaned);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["search=x&interaction=yes&interaction=no&page=3", { search: "x", interaction: ["no", "yes"], page: 3 }],
  ["interaction=yes&interaction=yes&interaction=maybe", { interaction: ["yes"] }],
  ["search=Hats&url=https://a.example/b", { search: "https://a.example/b" }],
  ["search=Hats&url=", { search: "Hats" }],
  ["announced=no&page=2", { declared: "no", page: 2 }],
  ["yes=none&yes=some", { yes: "none" }],
  ["yes=most&genre=Physical+Theatre&genre=Comedy", { yes: "most", genre: "Physical Theatre" }],
  ["genre=%20%E2%80%8B&yes=mostly", {}],
  ["page=99999999999999999999999", { page: Number.MAX_SAFE_INTEGER }],
  ...["", "announced=maybe&yes=some&notes=no", "utm_source=poster"].map((query) => [query, {}] as const),
  ...["0", "-2", "2.5", "1e3", ""].map((page) => [`page=${page}`, {}] as const),
] as const)(
  "the URL ?%s is parsed as %j; invalid values fall back to defaults (docs/product.md §2.11)",
  (url, query) => {
    expect(parse(url)).toEqual({ search: "", interaction: [], page: 1, ...query });
  },
);

test.each([
  ["show=abc", "show=abc"],
  ["search=cats&show=abc&interaction=no&page=7&show=def&yes=none&notes=maybe", "show=abc"],
  ["page=2&notes=no&show=abc&search=cats", "show=abc&notes=no&page=2"],
  ["show=abc&notes=very_little&page=none", "show=abc&notes=very_little"],
  ["show=&notes=no", ""],
])("the query %j asks for %j alone", (params, canonical) => {
  expect(formatShowQuery(parse(params)).toString()).toBe(canonical);
});

test("a formatted query is parsed as the same query", () => {
  const query = fc.record({
    search: anyText.map(cleanSearch),
    interaction: fc.subarray([...interactions]),
    declared: fc.constantFrom(undefined, ...declarations),
    yes: fc.constantFrom(undefined, ...yesFilters),
    genre: fc.oneof(
      fc.constant(undefined),
      anyText.map((text) => parse(`genre=${encodeURIComponent(text.toWellFormed())}`).genre),
    ),
    page: fc.integer({ min: 1, max: 10_000 }),
  });
  fc.assert(
    fc.property(query, (generated) => {
      expect(parse(formatShowQuery(generated).toString())).toEqual(generated);
    }),
  );
});
