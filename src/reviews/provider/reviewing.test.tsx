// @vitest-environment happy-dom
import { useState } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { mount } from "../../../tests/support/mount.ts";
import { Dialogs } from "../../app/dialogs.tsx";
import { accountEnded } from "../../auth/ui/account-end-texts.ts";
import { reviewCount } from "../../domain/review.ts";
import type { OwnReview, ReviewBody } from "../../domain/review-dto.ts";
import type { ListedShow } from "../../domain/show.ts";
import type { Toast } from "../../ui/toasts.ts";
import { ReviewsProvider, useReviews } from "./reviews-provider.tsx";

const none = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0, total: 0, few: false };
const texts = { website: null, artist: null, venue_name: null, genre: null, description: null };
const shows = ["Moth Hour", "Tea"].map(
  (title): ListedShow => ({
    ...texts,
    id: title,
    title,
    year: 2025,
    status: "active",
    announced: "no",
    reviews: none,
  }),
);
const expectedError =
  /^Your reviews could not be loaded|^Reviewing could not be loaded|lost script|Promise\.race is not a function/;
const listed = { artist: null, listed: true, hidden: null };
const created_at = "2025-08-04T12:00:00.000Z";
const thanks = "Review submitted!";
const failed = "Failed to submit review. Please try again.";
/** The text of a card. */
const reviewed = (title: string) => `${title}Report ${title}1 reviews, one of them yours`;
const answer = "Yes, significant interaction";

function saved(body: ReviewBody): Response {
  const tallies = { ...none, [body.audience_interaction]: 1, latest_at: created_at, revision: 1 };
  return Response.json({ review: { ...body, created_at }, reviews: tallies });
}
const refused = (status: number, code: string, headers = {}) =>
  Response.json({ code, message: "Sorry." }, { status, headers });
const lost = () => Promise.reject(new TypeError("Failed to fetch"));

function Card({ show }: { show: ListedShow }) {
  const { reviewsOf, review, report } = useReviews();
  const { tallies, isReviewed } = reviewsOf(show);
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
    </article>
  );
}

const account = { providers: [], signIn: async () => {}, forget: async () => {}, signOut: async () => true };

interface Given {
  user?: string | null;
  /** Those that are stored already; null if they cannot be loaded. */
  ownReviews?: OwnReview[] | null;
}

/** The list of two shows for a user, over a network that saves reviews. */
async function open({ user = "u1", ownReviews = [] }: Given = {}) {
  const stored = [...(ownReviews ?? [])];
  const site = {
    respond: (body: ReviewBody): Response | Promise<Response> => saved(body),
    sent: [] as ReviewBody[],
    reported: () => Response.json({ reported: true }),
    /** Holds the responses from now on. Returns what ends that, with a failure if it is given. */
    hold() {
      const held = Promise.withResolvers<void>();
      site.respond = (body) => held.promise.then(() => saved(body));
      return (error?: Error) => (error ? held.reject(error) : held.resolve());
    },
    user,
    accessToken: async (): Promise<string | null> => (site.user ? "token" : null),
    endToast: (): Toast | null => null,
    loadDialogs: async () => {},
  };
  vi.stubGlobal("fetch", async (path: string, { method, body }: RequestInit) => {
    if (method === "PUT") {
      const review = JSON.parse(String(body));
      site.sent.push(review);
      const response = await site.respond(review);
      if (response.ok) stored.push({ ...review, created_at, title: review.show_id, ...listed });
      return response;
    }
    if (method === "POST") return site.reported();
    if (!path.startsWith("/api/reviews/mine")) return Response.json({ reviews: {} });
    if (!ownReviews) return refused(503, "unavailable");
    return Response.json({ reviews: stored, total: stored.length, next_page: null });
  });
  const errors = vi.spyOn(console, "error").mockReturnValue();
  const onPopState = (event: PopStateEvent) => window.closeByBack?.(event);
  window.addEventListener("popstate", onPopState);
  onTestFinished(() => {
    window.removeEventListener("popstate", onPopState);
    vi.unstubAllGlobals();
    const unexpected = errors.mock.calls.map(String).filter((error) => !expectedError.test(error));
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
  let setUser = (_: string | null) => {};
  let setList = (_: ListedShow[]) => {};
  const loadDialogs = async () => {
    await site.loadDialogs();
    return { Dialogs };
  };
  const page = await mount(() => {
    const [userId, set] = useState(user);
    const [list, setShows] = useState(shows);
    [setUser, setList] = [set, setShows];
    const props = { shows: list, notes: {}, userId, session, account, clientKey: () => "key", loadDialogs };
    return (
      <ReviewsProvider {...props}>
        {list.map((show) => (
          <Card key={show.id} show={show} />
        ))}
      </ReviewsProvider>
    );
  });
  const { one, all, press, type, dispatch, pass } = page;
  const field = () => one("textarea") as HTMLTextAreaElement;
  return {
    ...page,
    site,
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

test("the dialog asks with No as its answer, and says what each answer means and what notes help", async () => {
  const { one, press, notes, chosen, counter, describes, site } = await open();
  await press("Moth Hour");
  expect(one("dialog h2").textContent).toBe("Review: Moth Hour");
  expect(one("legend").textContent).toBe("Did this show involve audience interaction?");
  const meanings = {
    "No audience interaction": "traditional performance with no audience participation",
    "Very little interaction": "minimal participation such as clapping, cheering or simple responses",
    [answer]: "active participation required, such as volunteers, conversation or physical involvement",
  };
  for (const [label, meaning] of Object.entries(meanings))
    expect(describes(one("input", label))).toBe(meaning);
  expect(document.activeElement).toBe(one("input", "No audience interaction"));
  expect([chosen(), notes(), counter().textContent]).toEqual(["no", "", "0/1000 characters"]);
  expect(describes(one("textarea"))).toBe(
    "0/1000 characters Helpful: where did you sit? Did anybody near you get picked? Please name nobody.",
  );
  await press(answer);
  expect(describes(one("textarea"))).toMatch(
    /Helpful: where did the people who were picked sit\? Could they say no\? What were they asked to do\?/,
  );
  await press("Submit Review");
  expect(site.sent).toMatchObject([{ show_id: "Moth Hour", audience_interaction: "yes", notes: null }]);
});

test("the counter warns above 900, in a pause also in words; above 1000 nothing is sent", async () => {
  const { one, all, press, type, pass, counter, describes, site, toast, isOpen } = await open();
  await press("Moth Hour");
  const announced = () =>
    all("dialog [aria-live]").some((part) => part.textContent === counter().textContent);
  await type("🎭".repeat(450));
  await pass(1_000);
  expect([counter().textContent, counter().dataset.warning]).toEqual(["900/1000 characters", undefined]);
  expect(announced()).toBe(false);
  await type(`${"🎭".repeat(450)}!`);
  expect(counter().dataset.warning).toBe("true");
  expect(announced()).toBe(false);
  await pass(1_000);
  expect(announced()).toBe(true);
  await type("x".repeat(1200));
  expect(describes(one("textarea"))).toMatch(/^Notes cannot exceed 1000 characters 1200\/1000 characters/);
  expect(one("textarea").getAttribute("aria-invalid")).toBe("true");
  await press("Submit Review");
  expect(toast()).toEqual(["Notes too long", "Please keep your notes under 1000 characters."]);
  expect([site.sent, isOpen()]).toEqual([[], true]);
});

test.each<[string, Partial<Awaited<ReturnType<typeof open>>["site"]>, string]>([
  ["a lost connection", { respond: lost }, failed],
  ["a server error", { respond: () => refused(503, "unavailable") }, failed],
  [
    "the write limit",
    { respond: () => refused(429, "rate_limited", { "Retry-After": "780" }) },
    "You have sent many reviews. You can send the next one in 13 minutes.",
  ],
  [
    "a refresh of the token without a response",
    { accessToken: () => Promise.reject(new Error("lost")) },
    failed,
  ],
  ["silence for 30 s", { respond: () => new Promise<never>(() => {}) }, failed],
  [
    "something that this browser lacks",
    { accessToken: () => Promise.reject(new TypeError("Promise.race is not a function")) },
    "An unexpected error occurred",
  ],
  ["the end of the session", { accessToken: async () => null }, "Please sign in to submit a review."],
  [
    "the end of the account",
    { accessToken: async () => null, endToast: () => accountEnded("deleted", null) },
    "This account was deleted, and its reviews with it.",
  ],
])("after %s the draft is kept, and sending again works", async (_, fault, description) => {
  const { write, press, pass, site, toast, notes, chosen, isOpen, card } = await open();
  await write("Moth Hour", "Dear diary");
  const { respond, accessToken } = site;
  Object.assign(site, fault);
  await press("Submit Review");
  for (let second = 0; second < 30 && toast().length === 0; second++) await pass(1_000);
  expect(toast().at(-1)).toBe(description);
  expect([notes(), chosen()]).toEqual(["Dear diary", "yes"]);
  Object.assign(site, { respond, accessToken });
  await press("Submit Review");
  expect(toast()[0]).toBe(thanks);
  expect(toast()).not.toContain(failed);
  expect([isOpen(), card("Moth Hour")]).toEqual([false, reviewed("Moth Hour")]);
});

test("a review in flight says so, and ignores edits and a second press", async () => {
  const { one, texts, write, press, type, pass, site, notes, isOpen } = await open();
  const release = site.hold();
  await write("Moth Hour", "Slow and steady");
  await press("Submit Review");
  await press("Submitting...");
  expect(texts("dialog [aria-live]")).toContain("Your review is on its way.");
  await type("Hurried");
  await press("No audience interaction");
  expect(notes()).toBe("Slow and steady");
  release();
  await pass();
  expect(site.sent).toHaveLength(1);
  expect(document.activeElement).toBe(one("button", "Moth Hour"));
  expect(isOpen()).toBe(false);
});

test.each(["Escape", "Cancel"])("%s cancels no review in flight", async (way) => {
  const { write, press, pass, pressEscape, site, toast, notes, isOpen, card } = await open();
  const release = site.hold();
  await write("Moth Hour", "On its way");
  await press("Submit Review");
  await (way === "Escape" ? pressEscape() : press("Cancel"));
  expect(isOpen()).toBe(false);
  release();
  await pass();
  expect([toast()[0], card("Moth Hour")]).toEqual([thanks, reviewed("Moth Hour")]);
  await press("Moth Hour");
  expect(notes()).toBe("");
});

test("a review that fails while the dialog closes keeps its toast and its draft", async () => {
  const { write, press, pass, site, toast, notes, isOpen } = await open();
  const release = site.hold();
  await write("Moth Hour", "Do not lose me");
  await press("Submit Review");
  // As on a slow phone, which goes back in the history later.
  const back = vi.spyOn(window.history, "back").mockReturnValue();
  await press("Cancel");
  release(new TypeError("Failed to fetch"));
  await pass();
  expect([isOpen(), toast().at(-1)]).toEqual([true, failed]);
  back.mockRestore();
  window.history.back();
  await pass();
  expect([isOpen(), toast().at(-1)]).toEqual([false, failed]);
  await press("Moth Hour");
  expect(notes()).toBe("Do not lose me");
});

test("Escape keeps the draft for this show and user, and Cancel discards it, unless the session ended", async () => {
  const { write, press, pressEscape, notes, chosen, isOpen, toast, signInAs } = await open();
  await write("Moth Hour", "Half a thought");
  await pressEscape();
  await press("Tea");
  expect(notes()).toBe("");
  await press("Cancel");
  await press("Moth Hour");
  expect([notes(), chosen()]).toEqual(["Half a thought", "yes"]);
  await signInAs(null);
  await press("Cancel");
  await press("Moth Hour");
  expect(toast()).toContain("Please sign in to review shows.");
  await signInAs("u1");
  await press("Moth Hour");
  expect(notes()).toBe("Half a thought");
  // In another tab.
  await signInAs("u2");
  expect(isOpen()).toBe(false);
  await press("Moth Hour");
  expect(notes()).toBe("");
  await pressEscape();
  await signInAs("u1");
  await press("Moth Hour");
  await press("Cancel");
  await press("Moth Hour");
  expect([notes(), chosen()]).toEqual(["", "no"]);
});

const earlier: OwnReview = {
  ...{ show_id: "Tea", user_id: "u1", audience_interaction: "very_little", notes: "Hot.", created_at },
  title: "Tea",
  ...listed,
};

test("an earlier review is named, and starts the new one when asked to", async () => {
  const { press, texts, notes, chosen, card } = await open({ ownReviews: [earlier] });
  expect(card("Tea")).toContain("one of them yours");
  await press("Moth Hour");
  expect(texts(".review-earlier")).toEqual([]);
  await press("Cancel");
  await press("Tea");
  expect(texts(".review-earlier").join()).toContain("replaces your earlier review");
  expect([notes(), chosen()]).toEqual(["", "no"]);
  await press("Start from my earlier review");
  expect([notes(), chosen()]).toEqual(["Hot.", "very_little"]);
});

test("when one's own reviews cannot be loaded, a review is sent all the same", async () => {
  const { write, press, toast, card } = await open({ ownReviews: null });
  await write("Tea", "Cold.");
  await press("Submit Review");
  expect([toast()[0], card("Tea")]).toEqual([thanks, reviewed("Tea")]);
});

test("without a session a press asks to sign in, or says that the account has ended", async () => {
  const { press, site, toast, isOpen } = await open({ user: null });
  await press("Tea");
  expect(toast()).toEqual(["Sign in required", "Please sign in to review shows."]);
  site.endToast = () => accountEnded("banned", "ada@front-row.example");
  await press("Tea");
  expect(toast()).toContain(
    "This account was banned: it may not sign in here any more. If you think that this is a mistake, write to:",
  );
  expect(isOpen()).toBe(false);
});

test("a press is painted before the dialog opens and before a review is sent, or waits for 250 ms", async () => {
  const { one, press, pass, isOpen, site } = await open();
  const { requestAnimationFrame } = window;
  for (const frames of [true, false]) {
    // A hidden tab paints no frames.
    if (!frames) window.requestAnimationFrame = () => 0;
    const unpainted = frames ? 0 : 245;
    one("button", "Moth Hour").click();
    await pass(unpainted);
    expect(isOpen()).toBe(false);
    await pass();
    one("button", "Submit Review").click();
    await pass(unpainted);
    expect(site.sent).toEqual([]);
    await pass();
    expect([isOpen(), site.sent.length]).toEqual([false, 1]);
    site.sent.length = 0;
  }
  window.requestAnimationFrame = requestAnimationFrame;
  await press("Moth Hour");
  expect(isOpen()).toBe(true);
});

test("a list change keeps the open dialog, which then leaves the focus to the list", async () => {
  const { write, press, showList, notes, site } = await open();
  const region = document.body.appendChild(document.createElement("section"));
  Object.assign(region, { id: "shows", tabIndex: -1 });
  await write("Tea", "Still about this one");
  await showList(shows.slice(0, 1));
  expect(notes()).toBe("Still about this one");
  await press("Submit Review");
  expect(site.sent).toMatchObject([{ show_id: "Tea", notes: "Still about this one" }]);
  expect(document.activeElement).toBe(region);
});

test("the script of reviewing is loaded at sign-in; a press waits for it, and asks again if it was lost", async () => {
  const { press, pass, signInAs, site, isOpen, toast } = await open({ user: null });
  const loads: PromiseWithResolvers<void>[] = [];
  site.loadDialogs = () => {
    const load = Promise.withResolvers<void>();
    loads.push(load);
    return load.promise;
  };
  await signInAs("u1");
  expect(loads).toHaveLength(1);
  await press("Tea");
  expect([isOpen(), loads.length]).toEqual([false, 2]);
  for (const { reject } of loads) reject(new Error("lost script"));
  await pass();
  expect(toast()).toEqual(["Error", "This could not be loaded. Please try again."]);
  await press("Tea");
  expect([isOpen(), toast()]).toEqual([false, []]);
  loads[2]?.resolve();
  await pass();
  expect(isOpen()).toBe(true);
});

test("a report keeps its draft until it is sent or cancelled", async () => {
  const { one, press, type, pressEscape, site, toast, notes, chosen, isOpen } = await open({ user: null });
  const { reported } = site;
  const reopen = async () => {
    expect(isOpen()).toBe(false);
    await press("Report Tea");
  };
  await reopen();
  expect(one("blockquote").textContent).toBe("Loud.");
  await press("It is abusive");
  await type("He swore at");
  expect(one(".field-counter").textContent).toBe("11/300 characters");
  await pressEscape();
  await reopen();
  expect([chosen(), notes()]).toEqual(["abusive", "He swore at"]);
  site.reported = () => refused(503, "unavailable");
  await press("Send");
  expect(toast().at(-1)).toMatch(/^Your report could not be sent\./);
  expect(notes()).toBe("He swore at");
  await press("Cancel");
  await reopen();
  expect(notes()).toBe("");
  site.reported = reported;
  await press("It is abusive");
  await type("He swore at me");
  await press("Send");
  expect(toast()[0]).toBe("Note reported");
  await reopen();
  expect(notes()).toBe("");
});
