import { type ReactNode, useState } from "react";
import { expect, onTestFinished, vi } from "vitest";
import { Dialogs } from "../../src/app/dialogs.tsx";
import { createApiRequest } from "../../src/browser/requests/api-request-client.ts";
import { discardUserData } from "../../src/browser/user-data-client.ts";
import type { ShowNotes } from "../../src/domain/notes-dto.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { reviewCount } from "../../src/domain/review.ts";
import type { OwnReview, ReviewBody } from "../../src/domain/review-dto.ts";
import type { ListedShow } from "../../src/domain/show.ts";
import { ReviewsProvider, useReviews } from "../../src/reviews/state/reviews-provider.tsx";
import type { Toast } from "../../src/ui/toasts.ts";
import { mount } from "./mount.ts";
import { bareShow } from "./snapshot.ts";

const none = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0, total: 0, few: false };
export const shows = ["Moth Hour", "Tea"].map(
  (title): ListedShow => ({ ...bareShow(title), title, announced: "no", reviews: none }),
);
const expectedError =
  /^(Your r|R)eviews could not be loaded|^Reviewing could not be loaded|lost script|Promise\.race is not a function/;
export const listed = { artist: null, year: YEAR, listed: true, hidden: null };
export const created_at = "2025-08-04T12:00:00.000Z";
export const thanks = "Review submitted!";
export const failed = "Failed to submit review. Please try again.";
export const reviewed = (title: string) => `${title}Report ${title}1 reviews, one of them yours`;
export const answer = "Yes, significant interaction";

function saved(body: ReviewBody): Response {
  const tallies = { ...none, [body.audience_interaction]: 1, latest_at: created_at, revision: 1 };
  return Response.json({ review: { ...body, created_at }, reviews: tallies });
}
export const refused = (status: number, code: string, headers = {}) =>
  Response.json({ code, message: "Sorry." }, { status, headers });

function Card({ show }: { show: ListedShow }) {
  const { reviewsOf, review, report } = useReviews();
  const { tallies, isReviewed, isWaiting } = reviewsOf(show);
  return (
    <article>
      <button type="button" onClick={({ currentTarget }) => review(show, currentTarget)}>
        {show.title}
      </button>
      <button
        type="button"
        onClick={({ currentTarget }) => report({ id: show.id, text: "Loud." }, currentTarget)}
      >
        Report {show.title}
      </button>
      {tallies && reviewCount(tallies)} reviews{isReviewed && ", one of them yours"}
      {isWaiting && ", not sent yet"}
    </article>
  );
}

function Header() {
  const { openOwnReviews, asksBeforeSignOut, notSent } = useReviews();
  return (
    <header>
      <button type="button" onClick={({ currentTarget }) => openOwnReviews(currentTarget)}>
        Your reviews
      </button>
      <button type="button" onClick={({ currentTarget }) => asksBeforeSignOut(currentTarget)}>
        Leave
      </button>
      {notSent > 0 && <p>{notSent} not sent</p>}
    </header>
  );
}

interface Given {
  user?: string | null;
  /** The stored reviews; null if neither they nor notes can be loaded. */
  ownReviews?: OwnReview[] | null;
  notes?: Readonly<Record<string, ShowNotes>>;
  /** In place of the header and the cards. */
  content?: ReactNode;
}

export async function openReviewing({ user = "u1", ownReviews = [], notes = {}, content }: Given = {}) {
  const site = {
    stored: [...(ownReviews ?? [])],
    respond: (body: ReviewBody): Response | Promise<Response> => saved(body),
    sent: [] as ReviewBody[],
    reported: () => Response.json({ reported: true }),
    /** Holds back responses. Returns a function that releases them, with a failure if given. */
    hold() {
      const held = Promise.withResolvers<void>();
      site.respond = (body) => held.promise.then(() => saved(body));
      return (error?: Error) => (error ? held.reject(error) : held.resolve());
    },
    user,
    accessToken: async (): Promise<string | null> => (site.user ? "token" : null),
    endToast: (): Toast | null => null,
    /** Like the session's client. */
    async signOut() {
      discardUserData(site.user ?? "");
      return true;
    },
    loadDialogs: async () => {},
  };
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit) => {
    if (method === "PUT") {
      const review = JSON.parse(String(body));
      site.sent.push(review);
      const response = await site.respond(review);
      if (response.ok) site.stored.push({ ...review, created_at, title: review.show_id, ...listed });
      return response;
    }
    if (method === "POST") return site.reported();
    if (method === "DELETE") return refused(503, "unavailable");
    if (path.startsWith("/auth/v1/")) return Response.json({ sessions: 1 });
    if (!ownReviews) return refused(503, "unavailable");
    if (!path.startsWith("/api/reviews/mine")) return Response.json({ reviews: {} });
    return Response.json({ reviews: site.stored, total: site.stored.length, next_page: null });
  });
  const errors = vi.spyOn(console, "error").mockReturnValue();
  const logged = () => errors.mock.calls.map(String);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    const unexpected = logged().filter((error) => !expectedError.test(error));
    errors.mockRestore();
    expect(unexpected).toEqual([]);
  });
  const session = {
    current: () =>
      site.user === null ? { status: "signed-out" } : { status: "signed-in", user: { id: site.user } },
    accessToken: () => site.accessToken(),
    renewToken: async () => null,
    endToast: () => site.endToast(),
  };
  const nothing = async () => {};
  const account = { providers: [], signIn: nothing, forget: nothing, signOut: () => site.signOut() };
  let setUser = (_: string | null) => {};
  let setList = (_: ListedShow[]) => {};
  const loadDialogs = () => site.loadDialogs().then(() => ({ Dialogs }));
  const request = createApiRequest(fetch, () => "key");
  const page = await mount(() => {
    const [userId, set] = useState(user);
    const [list, setShows] = useState(shows);
    [setUser, setList] = [set, setShows];
    const props = { shows: list, notes, userId, session, account, request, loadDialogs };
    return (
      <ReviewsProvider {...props}>
        {content ?? [<Header key="header" />, ...list.map((show) => <Card key={show.id} show={show} />)]}
      </ReviewsProvider>
    );
  });
  const { one, all, press, type, dispatch, pass } = page;
  const field = () => one("textarea") as HTMLTextAreaElement;
  return {
    ...page,
    site,
    logged,
    isOpen: () => all("dialog").length > 0,
    toast: () => page.texts(".toast p"),
    card: (title: string) => page.texts("article").find((text) => text.startsWith(title)),
    notes: () => field().value,
    chosen: () => (one("input:checked") as HTMLInputElement).value,
    counter: () => one(".field-counter"),
    describes: (element: Element) =>
      (element.getAttribute("aria-describedby") ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent)
        .join(" ")
        .trim(),
    pressEscape: () => dispatch(one("dialog"), new Event("cancel", { cancelable: true })),
    async write(title: string, notes: string) {
      await press(title);
      await press(answer);
      await type(notes);
    },
    async showList(list: ListedShow[]) {
      setList(list);
      await pass();
    },
    async signInAs(id: string | null) {
      site.user = id;
      setUser(id);
      await pass();
    },
  };
}
