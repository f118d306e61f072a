import fc from "fast-check";
import { expect, test } from "vitest";
import { interactions } from "./review.ts";
import { cleanSearch, MAX_SEARCH, readShowQuery, writeShowQuery } from "./show-query.ts";

const read = (query: string) => readShowQuery(new URLSearchParams(query));

test.each([
  ["  cats  ", "cats"],
  ["<script>alert(1)</script>cats", "cats"],
  ["ca<script src=x>ts", "cats"],
  ["cats</SCRIPT >", "cats"],
  ["<scr<script>ipt>cats", "cats"],
  ["<b>cats</b>", "<b>cats</b>"],
  ["scripted <scripture>", "scripted <scripture>"],
  ["a\0b", "ab"],
])("a search for %j is a search for %j", (typed, searched) => {
  expect(cleanSearch(typed)).toBe(searched);
});

test("a script that is longer than any search is stripped as far as it is looked at", () => {
  expect(cleanSearch(`<script>${"x".repeat(5_000)}</script>cats`)).toBe("x".repeat(MAX_SEARCH));
  expect(cleanSearch(`<script>${"x".repeat(500)}</script>cats`)).toBe("cats");
});

test("a search is cut to 100 characters and never in the middle of an emoji", () => {
  expect(cleanSearch("x".repeat(101))).toBe("x".repeat(100));
  expect(cleanSearch(`${"x".repeat(99)}🎭`)).toBe("x".repeat(99));
  expect(cleanSearch(`${"x".repeat(98)}🎭`)).toBe(`${"x".repeat(98)}🎭`);
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 250 }),
  fc
    .array(fc.constantFrom("<script", ">", "</script", "<", " ", "a", "🎭", "\ud83c", "\0"), { maxLength: 120 })
    .map((parts) => parts.join("")),
);

test("whatever is typed, a clean search is short, well-formed, trimmed, without script tags, and stays as it is when cleaned again", () => {
  fc.assert(
    fc.property(anyText, (typed) => {
      const clean = cleanSearch(typed);
      expect(clean.length).toBeLessThanOrEqual(MAX_SEARCH);
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).toBe(clean.trim());
      expect(clean).not.toMatch(/<\/?script\b[^>]*>/i);
      expect(cleanSearch(clean)).toBe(clean);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["", { search: "", interaction: [], page: 1 }],
  ["search=cats&interaction=yes&interaction=no&page=3", { search: "cats", interaction: ["no", "yes"], page: 3 }],
  ["interaction=yes&interaction=yes&interaction=maybe", { search: "", interaction: ["yes"], page: 1 }],
  ["page=0", { search: "", interaction: [], page: 1 }],
  ["page=-2", { search: "", interaction: [], page: 1 }],
  ["page=2.5", { search: "", interaction: [], page: 1 }],
  ["page=1e3", { search: "", interaction: [], page: 1 }],
  ["page=99999999999999999999999", { search: "", interaction: [], page: Number.MAX_SAFE_INTEGER }],
  ["page=", { search: "", interaction: [], page: 1 }],
  ["utm_source=poster", { search: "", interaction: [], page: 1 }],
])("the address ?%s means %j: what makes no sense falls back to its default", (address, query) => {
  expect(read(address)).toEqual(query);
});

test("the defaults stay out of the address", () => {
  expect(writeShowQuery({ search: "", interaction: [], page: 1 }).toString()).toBe("");
  expect(writeShowQuery({ search: "a&b", interaction: ["yes", "no"], page: 2 }).toString()).toBe(
    "search=a%26b&interaction=no&interaction=yes&page=2",
  );
});

test("an address written from a query is read as the same query", () => {
  const query = fc.record({
    search: anyText.map(cleanSearch),
    interaction: fc.subarray([...interactions]),
    page: fc.integer({ min: 1, max: 10_000 }),
  });
  fc.assert(
    fc.property(query, (asked) => {
      expect(read(writeShowQuery(asked).toString())).toEqual(asked);
    }),
  );
});
