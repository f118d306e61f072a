// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { created_at, openReviewing } from "../../../tests/support/reviewing.tsx";
import { bareShow } from "../../../tests/support/snapshot.ts";
import { ShowReviews } from "./show-reviews.tsx";

const show = bareShow("1");
const none = { count: 0, total: 0, notes: [] };
const yes = { count: 1, total: 1, notes: [{ id: "n1", notes: "She sang.", created_at }] };
const seen = { "1": { revision: 1, no: none, very_little: none, yes } };
const text = "Notes need a connection.";

test.each([
  ["of one show, with notes that the tab has loaded", { areAll: false, text }, seen, false],
  ["of one show, without", { areAll: false, text }, {}, true],
  ["of all notes, with the newest", { areAll: true, text }, seen, true],
  ["of all notes, without", { areAll: true, text }, {}, true],
  ["that was loaded", undefined, {}, false],
] as const)("a page %s: notes need a connection", async (_, missing, notes, says) => {
  const single = { isPast: false, missing };
  const content = <ShowReviews show={show} titleId="t" single={single} />;
  await openReviewing({ user: null, notes, content });
  const shown = document.body.textContent;
  expect(shown?.includes(text)).toBe(says);
  expect(shown?.includes("She sang.")).toBe(notes === seen);
});
