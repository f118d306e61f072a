import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { bareShow, noTallies } from "../../../tests/support/snapshot.ts";
import type { NotesByShow } from "../../domain/notes-dto.ts";
import { ToastProvider } from "../../ui/toast.tsx";
import { ReviewsProvider } from "../provider/reviews-provider.tsx";
import { ShowReviews } from "./show-reviews.tsx";

const show = { ...bareShow("1"), reviews: { ...noTallies, yes: 1, total: 1, few: true } };
const none = { count: 0, notes: [] };
const note = { id: "n1", notes: "She sang.", created_at: "2025-08-04T12:00:00.000Z" };
const seen: NotesByShow["reviews"] = {
  "1": { revision: 1, no: none, very_little: none, yes: { count: 1, notes: [note] } },
};
const never = async () => {
  throw new Error("Unused");
};
const session = {
  current: () => ({ status: "signed-out" }),
  accessToken: never,
  renewToken: never,
  endToast: () => null,
};
const account = { providers: [], signIn: never, forget: never, signOut: never };

test.each([
  ["of one show, with notes that the tab has loaded", "unseen", seen, false],
  ["of one show, without", "unseen", {}, true],
  ["of all notes, with the newest", "all", seen, true],
  ["of all notes, without", "all", {}, true],
  ["that was loaded", undefined, {}, false],
] as const)("a page %s: notes need a connection", (_, missingNotes, notes, says) => {
  const props = { shows: [show], notes, userId: null, session, account, request: never };
  const html = renderToStaticMarkup(
    <MemoryRouter>
      <ToastProvider>
        <ReviewsProvider {...props} loadDialogs={never}>
          <ShowReviews show={show} titleId="t" single={{ noteTotals: {}, isPast: false, missingNotes }} />
        </ReviewsProvider>
      </ToastProvider>
    </MemoryRouter>,
  );
  expect(html.includes("Notes need a connection.")).toBe(says);
  expect(html.includes("She sang.")).toBe(notes === seen);
});
