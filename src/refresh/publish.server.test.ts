import { expect, test } from "vitest";
import { describeWarnings, findShowsToUnlist } from "./publish.server.ts";

const programme = { shows: [], unlisted: [], bad: [], cut: [] };
const bad = (id: string | null) => ({ kind: "bad" as const, id, reason: "it has no title" });
const withoutId = bad(null);

test("unlists a show that is missing from the programme", () => {
  expect(findShowsToUnlist(["a", "b"], { ...programme, bad: [bad("a")] })).toEqual(["b"]);
});

test("unlists a show that is deleted or of another year, even if other records are bad", () => {
  expect(findShowsToUnlist(["a", "b"], { ...programme, unlisted: ["a"], bad: [bad("b")] })).toEqual(["a"]);
  expect(findShowsToUnlist(["a", "b"], { ...programme, unlisted: ["a"], bad: [withoutId] })).toEqual(["a"]);
});

test("keeps missing shows listed if the API counts at least as many shows that it does not send", () => {
  expect(findShowsToUnlist(["a", "b", "c"], { ...programme, gap: 3 })).toEqual([]);
  expect(findShowsToUnlist(["a", "b", "c"], { ...programme, bad: [withoutId], gap: 2 })).toEqual([]);
  expect(findShowsToUnlist(["a", "b", "c"], { ...programme, gap: 2 })).toEqual(["a", "b", "c"]);
});

test("keeps missing shows listed if at least as many records have no id", () => {
  expect(findShowsToUnlist(["a", "b"], { ...programme, bad: [withoutId, withoutId] })).toEqual([]);
  expect(findShowsToUnlist(["a", "b"], { ...programme, bad: [withoutId] })).toEqual(["a", "b"]);
});

test("no more than fifty new phrases are reported", () => {
  const warnings = Array.from({ length: 60 }, (_, index) => `Warning ${index}`);
  expect(describeWarnings([{ warnings }], []).newPhrases).toHaveLength(50);
});
