// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from "vitest";
import { memoryLocks } from "../../../tests/support/memory-locks.ts";
import { failed, openReviewing, refused, reviewed, thanks } from "../../../tests/support/reviewing.tsx";
import type { ReviewBody } from "../../domain/review-dto.ts";

const lost = () => Promise.reject(new TypeError("Failed to fetch"));
const LATER = "Send when I'm back online";
const WAITING = "Not sent yet";
const ofNetwork = (status: number, headers = {}) => new Response("<html>", { status, headers });

function givenLocks() {
  const locks = memoryLocks();
  Object.defineProperty(navigator, "locks", { configurable: true, value: locks });
  onTestFinished(() => void Reflect.deleteProperty(navigator, "locks"));
  return locks;
}

/** Opens the page of a user whose review of Moth Hour waits, because no server answered. */
async function openWaiting() {
  const reviewing = await openReviewing();
  const { site, write, press, dispatch } = reviewing;
  async function letWait(title: string, notes: string): Promise<void> {
    const { respond } = site;
    site.respond = lost;
    await write(title, notes);
    await press("Submit Review");
    await press(LATER);
    site.sent.length = 0;
    site.respond = respond;
  }
  await letWait("Moth Hour", "Dear diary");
  /** The network comes back. */
  const online = () => dispatch(window, new Event("online"));
  return {
    ...reviewing,
    letWait,
    online,
    async onlineWith(response: typeof site.respond) {
      const { respond } = site;
      site.respond = response;
      await online();
      site.respond = respond;
    },
    waiting: () => reviewing.texts("header p"),
    /** Another request of the page succeeds. */
    async succeed() {
      await press("Your reviews");
      await press("Close");
    },
  };
}

test("what nothing answered waits when its author wants it to, and is sent when the network is back", async () => {
  const { site, write, press, all, notes, toast, isOpen, card, texts, pass, one, dispatch } =
    await openReviewing();
  site.respond = lost;
  await write("Moth Hour", "Dear diary");
  expect(all("button", LATER)).toEqual([]);
  await press("Submit Review");
  expect([toast().at(-1), notes()]).toEqual([failed, "Dear diary"]);
  await press(LATER);
  expect([isOpen(), toast()]).toEqual([false, [WAITING, "It is sent when you are back online."]]);
  expect(document.activeElement).toBe(one("article button", "Moth Hour"));
  expect(texts("header p")).toEqual(["1 not sent"]);
  expect(card("Moth Hour")).toContain("0 reviews, not sent yet");
  expect(card("Tea")).not.toContain("not sent yet");
  const answered = site.hold();
  await dispatch(window, new Event("online"));
  expect([site.sent.length, toast()[0]]).toEqual([2, WAITING]);
  answered();
  await pass();
  const sent = { show_id: "Moth Hour", audience_interaction: "yes", notes: "Dear diary" };
  expect(site.sent[1]).toMatchObject(sent);
  expect([toast()[0], texts("header p"), card("Moth Hour")]).toEqual([thanks, [], reviewed("Moth Hour")]);
  expect(localStorage).toHaveLength(0);
});

test("no review is offered to wait after an answer of the API, where storage is blocked, or beyond 50", async () => {
  const { site, write, press, all } = await openReviewing();
  const offers = async () => {
    await press("Submit Review");
    return all("button", LATER).length;
  };
  await write("Moth Hour", "Dear diary");
  const answers = [
    () => refused(401, "authentication_required"),
    () => refused(422, "invalid"),
    () => refused(429, "rate_limited", { "Retry-After": "60" }),
  ];
  for (site.respond of answers) expect(await offers()).toBe(0);
  site.respond = lost;
  const storage = vi.spyOn(window, "localStorage", "get").mockImplementation(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  expect(await offers()).toBe(0);
  storage.mockRestore();
  for (let show = 0; show < 50; show++) localStorage.setItem(`front-row-waiting u1 s${show}`, "{}");
  expect(await offers()).toBe(0);
  localStorage.removeItem("front-row-waiting u1 s0");
  expect(await offers()).toBe(1);
});

test.each([
  ["no answer", lost],
  ["an error of the server", () => refused(500, "internal")],
])("after %s it is sent while the tab stays in view", async (_, fault) => {
  const { site, onlineWith, succeed, letWait, pass, dispatch, waiting } = await openWaiting();
  await onlineWith(fault);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  await dispatch(document, new Event("visibilitychange"));
  await pass(60_000);
  expect([site.sent.length, waiting()]).toEqual([1, ["1 not sent"]]);
  hidden.mockRestore();
  await dispatch(document, new Event("visibilitychange"));
  expect([site.sent.length, waiting()]).toEqual([2, []]);
  await letWait("Tea", "Hot");
  await pass(14_000);
  expect(site.sent).toEqual([]);
  await pass(1_000);
  expect([site.sent.length, waiting()]).toEqual([1, []]);
  await letWait("Tea", "Cold");
  await succeed();
  expect([site.sent.length, waiting()]).toEqual([1, []]);
});

test("a review that always fails is tried ever more rarely while other requests succeed", async () => {
  const { site, succeed, pass } = await openWaiting();
  site.respond = () => refused(500, "internal");
  for (let second = 0; second < 30; second += 2) {
    await succeed();
    await pass(1_200);
  }
  expect(site.sent.length).toBeGreaterThan(2);
  expect(site.sent.length).toBeLessThan(8);
});

test("a server that goes on refusing the session is not said again each time", async () => {
  const { site, pass, toast, press } = await openWaiting();
  site.respond = () => refused(401, "unauthorized");
  await pass(15_000);
  expect(toast()).toContain("Authentication required");
  await press("Dismiss notification");
  await pass(60_000);
  expect([site.sent.length, toast()]).toEqual([5, []]);
});

test("Send now sends all but refused ones, also before a limit has ended, and says what failed", async () => {
  const { site, onlineWith, letWait, press, all, toast, texts, waiting } = await openWaiting();
  await onlineWith(() => refused(429, "rate_limited", { "Retry-After": "7200" }));
  await letWait("Tea", "Hot");
  await press("Your reviews");
  const { respond } = site;
  const inAWhile = () => refused(429, "rate_limited", { "Retry-After": "3000" });
  const wait = "You have sent many reviews. You can send the next one in 50 minutes.";
  for (const [fault, text] of [
    [lost, failed],
    [inAWhile, wait],
  ] as const) {
    site.respond = fault;
    await press("Send now");
    expect([toast().at(-1), waiting()]).toEqual([text, ["2 not sent"]]);
  }
  expect(site.sent.splice(0)).toHaveLength(2);
  site.respond = (body) => (body.show_id === "Tea" ? refused(404, "unknown_show") : respond(body));
  await press("Send now");
  expect(site.sent.map(({ show_id }) => show_id)).toEqual(["Moth Hour", "Tea"]);
  expect(texts("dialog li")[0]).toContain("Sorry.");
  expect([all("button", "Send now"), document.activeElement?.textContent]).toEqual([[], "Your reviews"]);
});

test.each([
  ["a limit of the site", () => refused(429, "rate_limited", { "Retry-After": "120" })],
  ["an outage", () => refused(503, "unavailable", { "Retry-After": "120" })],
  ["a proxy's limit", () => ofNetwork(429, { "Retry-After": new Date(Date.now() + 120_000).toUTCString() })],
])("after %s it is sent when Retry-After is over, also after a restart", async (_, respond) => {
  const { site, online, onlineWith, succeed, pass, signInAs, waiting } = await openWaiting();
  await onlineWith(respond);
  expect([site.sent.length, waiting()]).toEqual([1, ["1 not sent"]]);
  await pass(110_000);
  await online();
  await succeed();
  await signInAs(null);
  await signInAs("u1");
  expect(site.sent).toHaveLength(1);
  await pass(10_000);
  expect([site.sent.length, waiting()]).toEqual([2, []]);
});

test("a limit holds for all of its user's", async () => {
  const { site, online, onlineWith, pass, press, letWait, waiting } = await openWaiting();
  await onlineWith(() => refused(429, "rate_limited", { "Retry-After": "120" }));
  await letWait("Tea", "Second");
  await letWait("Moth Hour", "Changed");
  await online();
  await press("Your reviews");
  await press("Discard", "dialog li:first-child button");
  await online();
  expect([site.sent, waiting()]).toEqual([[], ["1 not sent"]]);
  await pass(120_000);
  await online();
  expect([site.sent.length, waiting()]).toEqual([1, []]);
  expect(localStorage).toHaveLength(0);
});

test.each([
  ["Retry-After", 0.2],
  ["a clock that was set back", -30_000],
])("%s does not hold it for longer than 25 hours", async (_, later) => {
  const { site, online, onlineWith, waiting } = await openWaiting();
  const hours = (count: number) => vi.setSystemTime(Date.now() + count * 3_600_000);
  await onlineWith(() => refused(429, "rate_limited", { "Retry-After": "99999999999999" }));
  hours(24.9);
  await online();
  expect(site.sent).toHaveLength(1);
  hours(later);
  await online();
  expect([site.sent.length, waiting()]).toEqual([2, []]);
});

test("a damaged one counts, is shown with what is left of it, and is sent by its author alone", async () => {
  const { site, online, waiting, press, texts } = await openWaiting();
  localStorage.setItem("front-row-waiting u1 Moth Hour", '{"notes":"Dear dia');
  await online();
  expect([site.sent, waiting()]).toEqual([[], ["1 not sent"]]);
  await press("Your reviews");
  expect(texts("dialog li")).toEqual([
    'Moth HourNo Not sent yet{"notes":"Dear diaIt was damaged in this browser. Please check it before you send it.ChangeDiscard',
  ]);
  await press("Discard");
  expect(waiting()).toEqual([]);
});

test("notes that are too long to send do not wait", async () => {
  const { site, write, press, type, toast, texts } = await openReviewing();
  site.respond = lost;
  await write("Moth Hour", "Short");
  await press("Submit Review");
  await type("x".repeat(1001));
  await press(LATER);
  expect(toast()).toEqual(["Notes too long", "Please keep your notes under 1000 characters."]);
  expect(texts("header p")).toEqual([]);
});

type Opened = Awaited<ReturnType<typeof openWaiting>>;
const becomeAnother = ({ signInAs }: Opened) => signInAs("u2");

test.each<[string, (page: Opened) => Promise<void>, ((body: ReviewBody) => Response) | null]>([
  ["who is another user now, of a refused token", becomeAnother, () => refused(401, "unauthorized")],
  ["who is another user now, of a refusal", becomeAnother, () => refused(422, "invalid")],
  ["who is another user now, of success", becomeAnother, null],
  [
    "who has signed out, of a refused token",
    async ({ press, signInAs }) => {
      await press("Leave");
      await press("Delete and sign out");
      await signInAs(null);
    },
    () => refused(401, "session_not_found"),
  ],
  [
    "who has discarded it, of a refusal",
    async ({ press, waiting }) => {
      await press("Your reviews");
      await press("Discard");
      expect(waiting()).toEqual([]);
    },
    () => refused(422, "invalid"),
  ],
])("while a review is sent its outcome is not told to one %s", async (_, change, outcome) => {
  const opened = await openWaiting();
  const { site, onlineWith, toast, pass } = opened;
  const respond = outcome ?? site.respond;
  const held = Promise.withResolvers<void>();
  await onlineWith((body) => held.promise.then(() => respond(body)));
  await change(opened);
  held.resolve();
  await pass();
  expect([site.sent.length, toast()]).toEqual([1, []]);
});

test("what is typed until the offer is pressed waits; not after Sign Out in another tab", async () => {
  const { site, write, press, type, notes, pass, signInAs, toast } = await openReviewing();
  site.respond = lost;
  await write("Moth Hour", "Dear diary");
  await press("Submit Review");
  await pass(60_000);
  await type("Dear reader");
  await signInAs(null);
  await press(LATER);
  expect(toast()).toEqual(["Authentication required", "Please sign in to submit a review."]);
  expect([notes(), localStorage.length]).toEqual(["Dear reader", 0]);
  await signInAs("u1");
  await press("Submit Review");
  await press(LATER);
  await press("Moth Hour");
  expect(notes()).toBe("Dear reader");
});

test("a script of the dialogs that failed to load is loaded again when the network is back", async () => {
  const { site, signInAs, dispatch, toast, texts } = await openReviewing({ user: null });
  const stored = { title: "Tea", artist: null, interaction: "yes", notes: "Hot.", at: 1 };
  localStorage.setItem("front-row-waiting u1 Tea", JSON.stringify(stored));
  site.loadDialogs = () => Promise.reject(new Error("lost script"));
  await signInAs("u1");
  expect([site.sent, texts("header p")]).toEqual([[], ["1 not sent"]]);
  site.loadDialogs = async () => {};
  await dispatch(window, new Event("online"));
  expect([site.sent.length, toast()[0], texts("header p")]).toEqual([1, thanks, []]);
});

test.each([
  ["the end of the session", 0],
  ["a refused token", 1],
])("after %s it is kept, asks to sign in, and is sent after that", async (_, refusals) => {
  const { site, online, signInAs, waiting, toast } = await openWaiting();
  const { respond, accessToken } = site;
  if (refusals > 0) site.respond = () => refused(401, "unauthorized");
  else site.accessToken = async () => null;
  await online();
  expect(toast().slice(-2)).toEqual(["Authentication required", "Please sign in to submit a review."]);
  expect([site.sent.splice(0).length, waiting()]).toEqual([refusals, ["1 not sent"]]);
  await signInAs(null);
  expect(waiting()).toEqual(["1 not sent"]);
  Object.assign(site, { respond, accessToken });
  await signInAs("u2");
  await online();
  expect([site.sent, waiting()]).toEqual([[], []]);
  await signInAs(null);
  await signInAs("u1");
  expect([site.sent.length, waiting(), toast()[0]]).toEqual([1, [], thanks]);
});

test("a refusal is shown with what was typed, and not repeated", async () => {
  const { site, online, onlineWith, waiting, toast, press, texts, notes, chosen, one } = await openWaiting();
  await onlineWith(() => refused(403, "reviews_closed"));
  await online();
  expect([site.sent.length, waiting()]).toEqual([1, ["1 not sent"]]);
  expect(toast().slice(2)).toEqual(["Error", "Moth Hour: Sorry. What you typed is in Your reviews."]);
  await press("Your reviews");
  const [item] = texts("dialog li");
  expect(item).toBe("Moth HourYes Not sent yetDear diarySorry.ChangeDiscard");
  await press("Change");
  expect(toast()).not.toContain("Error");
  expect(one("dialog h2").textContent).toBe("Review: Moth Hour");
  expect([notes(), chosen()]).toEqual(["Dear diary", "yes"]);
  await press("Submit Review");
  expect([site.sent.length, waiting(), toast()[0]]).toEqual([2, [], thanks]);
});

test.each([
  [404, "unknown_show"],
  [500, "internal"],
])("one at a time, the oldest first; after an answer of %i, the others follow", async (status, code) => {
  const { site, online, letWait, waiting, pass } = await openWaiting();
  const { respond } = site;
  givenLocks();
  await letWait("Tea", "Second");
  const held = Promise.withResolvers<void>();
  site.respond = async (body) => {
    await held.promise;
    return body.show_id === "Tea" ? respond(body) : refused(status, code);
  };
  await online();
  await online();
  expect(site.sent.map(({ show_id }) => show_id)).toEqual(["Moth Hour"]);
  held.resolve();
  await pass();
  expect(site.sent.map(({ show_id }) => show_id)).toEqual(["Moth Hour", "Tea"]);
  expect(waiting()).toEqual(["1 not sent"]);
});

test("what its author sends or lets wait later takes its place; Discard removes it", async () => {
  const { site, online, letWait, press, waiting, notes, type, texts, toast } = await openWaiting();
  const { respond } = site;
  site.respond = lost;
  await press("Moth Hour");
  expect(notes()).toBe("Dear diary");
  await press("Cancel");
  await letWait("Moth Hour", "Dear reader");
  await press("Your reviews");
  expect(texts("dialog li .note-box, dialog li p").join()).toContain("Dear reader");
  await press("Discard");
  expect([waiting(), document.activeElement?.textContent]).toEqual([[], "Your reviews"]);
  await press("Close");
  await letWait("Moth Hour", "Old");
  await press("Moth Hour");
  await type("New");
  site.sent.length = 0;
  site.respond = respond;
  await press("Submit Review");
  await online();
  expect(site.sent.map((review) => review.notes)).toEqual(["New"]);
  expect([waiting(), toast()[0]]).toEqual([[], thanks]);
});

test.each([
  ["has not sent it", 1],
  ["has sent it", 0],
])("once another tab that %s lets go, this one sends what waits", async (_, sent) => {
  const { site, online, dispatch, waiting } = await openWaiting();
  const other = Promise.withResolvers<void>();
  void givenLocks().request("", {}, () => other.promise);
  await online();
  expect(site.sent).toEqual([]);
  if (sent === 0) localStorage.removeItem("front-row-waiting u1 Moth Hour");
  other.resolve();
  await dispatch(window, new Event("storage"));
  expect([site.sent.length, waiting()]).toEqual([sent, []]);
});

test("while another tab sends, this one does not; a newer review waits for that", async () => {
  const { site, online, press, type, pass } = await openWaiting();
  const other = Promise.withResolvers<void>();
  const { request } = givenLocks();
  void request("", {}, () => other.promise);
  await online();
  expect(site.sent).toEqual([]);
  await press("Moth Hour");
  await type("Newer");
  await press("Submit Review");
  expect(site.sent).toEqual([]);
  other.resolve();
  await pass();
  expect(site.sent.map(({ notes }) => notes)).toEqual(["Newer"]);
});

test("signing out, here or everywhere, asks once, and removes what waits of that account alone", async () => {
  const { site, press, isOpen, one, waiting, toast, signInAs } = await openWaiting();
  localStorage.setItem("front-row-waiting u2 Tea", "{}");
  const question = "1 review is not sent yet. Sign out anyway?";
  site.respond = lost;
  await press("Leave");
  expect(one("dialog h2").textContent).toBe(question);
  expect(document.activeElement).toBe(one("button", "Cancel"));
  await press("Cancel");
  expect(document.activeElement).toBe(one("button", "Leave"));
  expect([isOpen(), waiting()]).toEqual([false, ["1 not sent"]]);
  const { signOut } = site;
  site.signOut = async () => false;
  await press("Leave");
  await press("Delete and sign out");
  expect([isOpen(), waiting()]).toEqual([true, ["1 not sent"]]);
  site.signOut = signOut;
  await press("Delete and sign out");
  expect([isOpen(), Object.keys(localStorage)]).toEqual([false, ["front-row-waiting u2 Tea"]]);
  site.sent.length = 0;
  await signInAs("u2");
  expect([site.sent, toast(), waiting()]).toEqual([[], [], ["1 not sent"]]);
  await press("Your reviews");
  await press("Sign out everywhere");
  expect(one("dialog h2").textContent).toBe(question);
  await press("Delete and sign out");
  expect([waiting(), localStorage.length]).toEqual([[], 0]);
});

test("the question before signing out counts again while it is open", async () => {
  const { site, letWait, press, pass, one, texts, waiting } = await openWaiting();
  const { respond } = site;
  await letWait("Tea", "Hot");
  site.respond = lost;
  const shown = () => [one("dialog h2").textContent, ...texts("dialog h2 + p, .dialog-actions button")];
  await press("Leave");
  const two = "2 reviews are not sent yet. Sign out anyway?";
  const lose = "Delete and sign out";
  expect(shown()).toEqual([two, "They will be deleted from this phone.", "Cancel", lose]);
  site.respond = (body) => (body.show_id === "Tea" ? lost() : respond(body));
  await pass(15_000);
  const one_ = "1 review is not sent yet. Sign out anyway?";
  expect(shown()).toEqual([one_, "It will be deleted from this phone.", "Cancel", lose]);
  localStorage.removeItem("front-row-waiting u1 Tea");
  window.dispatchEvent(new Event("storage"));
  await pass();
  expect(shown()).toEqual(["No review waits any more. Sign out?", "Cancel", "Sign Out"]);
  await press("Sign Out");
  expect([waiting(), localStorage.length]).toEqual([[], 0]);
});
