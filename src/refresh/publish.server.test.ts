import { expect, test } from "vitest";
import { findLeaving } from "./publish.server.ts";

const programme = { shows: [], unlisted: [], bad: [] };
const bad = (id: string | null) => ({ kind: "bad" as const, id, reason: "it has no title" });
const nameless = bad(null);

test("a listed show that the festival does not have leaves the list", () => {
  expect(findLeaving(["a", "b"], { ...programme, bad: [bad("a")] })).toEqual(["b"]);
});

test("a listed show that the festival unlists leaves the list, whatever else it says", () => {
  expect(findLeaving(["a", "b"], { ...programme, unlisted: ["a"], bad: [bad("b")] })).toEqual(["a"]);
  expect(findLeaving(["a", "b"], { ...programme, unlisted: ["a"], bad: [nameless] })).toEqual(["a"]);
});

test("as long as the missing shows may be the records without an id, they stay", () => {
  expect(findLeaving(["a", "b"], { ...programme, bad: [nameless, nameless] })).toEqual([]);
  expect(findLeaving(["a", "b"], { ...programme, bad: [nameless] })).toEqual(["a", "b"]);
});
