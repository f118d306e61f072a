import { expect, test } from "vitest";
import type { Programme } from "./festival/fetch-programme.server.ts";
import { describeWarnings, findShowsToUnlist } from "./publish.server.ts";

const programme = { shows: [], unlisted: [], bad: [], cut: [] };
const bad = (id: string | null) => ({ kind: "bad" as const, id, reason: "it has no title" });
const withoutId = bad(null);

test.each<[string, Partial<Programme>, string[]]>([
  ["are missing", { bad: [bad("a")] }, ["b", "c"]],
  ["are sent as unlisted, while others are bad", { unlisted: ["a"], bad: [bad("b"), bad("c")] }, ["a"]],
  ["are sent as unlisted, while others have no id", { unlisted: ["a"], bad: [withoutId, withoutId] }, ["a"]],
  ["are missing, but the API counts as many that it does not send", { gap: 3 }, []],
  ["are missing, but as many are not sent or have no id", { bad: [withoutId], gap: 2 }, []],
  ["are missing, but as many have no id", { bad: [withoutId, withoutId, withoutId] }, []],
  ["are missing, more than are not sent", { gap: 2 }, ["a", "b", "c"]],
  ["are missing, more than have no id", { bad: [withoutId, withoutId] }, ["a", "b", "c"]],
])("of shows that %s (%j), %j are unlisted (docs/product.md §7.5, §7.7)", (_, sent, expected) => {
  expect(findShowsToUnlist(["a", "b", "c"], { ...programme, ...sent })).toEqual(expected);
});

test("no more than fifty new phrases are reported", () => {
  const warnings = Array.from({ length: 60 }, (_, index) => `Warning ${index}`);
  expect(describeWarnings([{ warnings }], []).newPhrases).toHaveLength(50);
});
