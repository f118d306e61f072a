// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { created_at, openReviewing } from "../../../tests/support/reviewing.tsx";
import { bareShow } from "../../../tests/support/snapshot.ts";
import { ShowReviews } from "./show-reviews.tsx";

const show = bareShow("1");
const none = { count: 0, notes: [] };
const yes = { count: 1, notes: [{ id: "n1", notes: "She sang.", created_at }] };
const seen = { "1": { revision: 1, no: none, very_little: none, yes } };

test.each([
  ["of one show, with notes that the tab has loaded", "unseen", seen, false],
  ["of one show, without", "unseen", {}, true],
  ["of all notes, with the newest", "all", seen, true],
  ["of all notes, without", "all", {}, true],
  ["that was loaded", undefined, {}, false],
] as const)("a page %s: notes need a connection", async (_, missingNotes, notes, says) => {
  const single = { noteTotals: {}, isPast: false, missingNotes };
  const content = <ShowReviews show={show} titleId="t" single={single} />;
  await openReviewing({ user: null, notes, content });
  const text = document.body.textContent;
  expect(text?.includes("Notes need a connection.")).toBe(says);
  expect(text?.includes("She sang.")).toBe(notes === seen);
});
