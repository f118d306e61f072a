import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { decideQueue } from "../../src/cli/moderation/decide.ts";
import { notesByShow } from "../../src/domain/notes-dto.ts";
import type { ReportReason } from "../../src/domain/report.ts";
import { ownReviews } from "../../src/domain/review-dto.ts";
import { deleteOldReports } from "../../src/moderation/store/cleanup.server.ts";
import { type DecisionAction, decideReport } from "../../src/moderation/store/decisions.server.ts";
import { findReport } from "../../src/moderation/store/report-queue.server.ts";
import { type SessionResponse, signIn } from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import { captureOutput } from "../support/command-output.ts";
import {
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenNone,
  givenReport,
  givenReportReason,
  givenReview,
  givenShows,
} from "../support/given.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { auditRows, countRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, 4);
const accountsSite = await setUpAccountsSite(database);
let wren = await signInAsWren();
const pip = await signIn(accountsSite.site.origin, "github", { email: "pip@people.example" });
beforeEach(async () => {
  await givenNone(db, "reports", "audit", "review_closures", "review_limits");
  await givenDeleted(db, "reviews");
  await givenChanged(db, "users", { dismissed_reports: 0, banned_at: null });
});

function signInAsWren(): Promise<SessionResponse> {
  return signIn(accountsSite.site.origin, "google", { email: "wren@people.example" });
}

const admin = (...args: string[]) => runAdmin(database, args);

/** Stores a review by Wren. */
const addReview = (notes: string | null, show_id = "show-1") =>
  givenReview(db, { show_id, user_id: wren.user.id, notes, created_at: new Date("2025-08-02T10:00:00Z") });

/** Pip has reported Wren's note, which is hidden since. Returns the report's id. */
async function addReport(rule: ReportReason = "personal_data", show_id = "show-1"): Promise<string> {
  const author_id = wren.user.id;
  await givenChanged(db, "reviews", { hidden_rule: rule }, { show_id, user_id: author_id });
  const reviews = await storedRows(db, "reviews", ["show_id", "user_id", "note_id"]);
  const note_id =
    reviews.find((each) => each.show_id === show_id && each.user_id === author_id)?.note_id ?? expect.fail();
  const report = { show_id, author_id, note_id, rule, hidden_at: new Date(), anonymous_count: 2 };
  const report_id = await givenReport(db, report);
  const reporter_id = pip.user.id;
  await givenReportReason(db, { report_id, note_id, reporter_id, reason: rule, text: "It names me." });
  return report_id;
}

/** Decides on a report. Returns the decision's id. */
async function decisionOf(reportId: string, action: DecisionAction): Promise<string> {
  const { out } = await admin("decide", reportId, action);
  return /undo (\d+)/.exec(out)?.[1] ?? "";
}

/** Writes or deletes Wren's review of a show, as the page does. */
function write(method: "PUT" | "DELETE", show: string): Promise<Response> {
  const body = { show_id: show, user_id: wren.user.id, audience_interaction: "yes", notes: null };
  const path = method === "PUT" ? "/api/reviews" : `/api/reviews?show_id=${show}`;
  return callApi(method, path, method === "PUT" ? body : undefined);
}

function callApi(method: string, path: string, body?: object, session = wren): Promise<Response> {
  return fetch(`${accountsSite.site.origin}${path}`, {
    method,
    headers: { apikey: "front-row-public", Authorization: `Bearer ${session.access_token}` },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).code];
}

/** Review, report, ban, dismissals: all that decisions change. */
async function readState() {
  const reviews = await storedRows(db, "reviews", [
    "show_id",
    "notes",
    "hidden_rule",
    "note_id",
    "created_at",
  ]);
  const reports = await storedRows(db, "reports", ["id", "hidden_at", "decided_at"]);
  const users = await storedRows(db, "users", ["id", "banned_at", "dismissed_reports"]);
  const userOf = (session: SessionResponse) => users.find(({ id }) => id === session.user.id);
  return {
    reviews: reviews.map(({ hidden_rule, ...review }) => ({ ...review, hidden: hidden_rule })),
    reports: reports.map(({ hidden_at, decided_at }) => ({
      hidden: hidden_at !== null,
      open: decided_at === null,
    })),
    banned: userOf(wren)?.banned_at !== null,
    dismissed: userOf(pip)?.dismissed_reports,
  };
}

const note = { notes: "Ada from row 3 was picked.", hidden: null };

describe("a decision", () => {
  // A ban ends the session.
  afterAll(async () => {
    wren = await signInAsWren();
  });

  test.each<{ action: DecisionAction; decided: object }>([
    { action: "keep", decided: { reviews: [note], reports: [{ hidden: false, open: false }], dismissed: 1 } },
    {
      action: "hide",
      decided: { reviews: [{ ...note, hidden: "personal_data" }], reports: [{ hidden: true, open: false }] },
    },
    {
      action: "remove-note",
      decided: { reviews: [{ notes: null, hidden: null }], reports: [{ hidden: false, open: false }] },
    },
    { action: "remove-review", decided: { reviews: [], reports: [{ hidden: false, open: false }] } },
    {
      action: "ban",
      decided: {
        reviews: [{ ...note, hidden: "personal_data" }],
        reports: [{ hidden: true, open: false }],
        banned: true,
      },
    },
  ])("$action is done and audited, and undone", async ({ action, decided: expected }) => {
    await addReview(note.notes);
    const id = await addReport();
    const before = await readState();
    const decided = await admin("decide", id, action, "--reason", "A private person is named.");
    expect(decided).toMatchObject({ exit: 0, err: "" });
    expect(await readState()).toMatchObject({ banned: false, dismissed: 0, ...expected });
    const decisionId = /undo (\d+)/.exec(decided.out)?.[1] ?? "";
    expect(await admin("undo", decisionId)).toMatchObject({ exit: 0, err: "" });
    expect(await readState()).toEqual({ ...before });
    const details = { report_id: id, decision_id: decisionId, decision: action, show_id: "show-1" };
    const entry = { ...details, user_id: wren.user.id };
    expect(await auditRows(db)).toEqual([
      { action: "decide-report", details: entry },
      { action: "undo-decision", details: entry },
    ]);
    await expectTrueTallies(db);
    expect(await admin("undo", decisionId)).toMatchObject({ exit: 1 });
  });
});

test("of operators who decide at once, one does", async () => {
  await addReview(note.notes);
  const reportId = await addReport();
  const decide = (action: DecisionAction) => decideReport(db, { reportId, action, reason: null });
  const results = await Promise.all([decide("hide"), decide("keep"), decide("remove-review"), decide("ban")]);
  expect(results.filter((result) => result === "already_decided")).toHaveLength(3);
  expect(results).toContainEqual({ decisionId: expect.any(String) });
});

test("a decision is about the notes that the operator saw, and about notes that are there", async () => {
  await addReview(note.notes);
  const reportId = await addReport("abusive");
  const noteId = (await findReport(db, reportId))?.review?.note_id;
  const decide = (action: DecisionAction) => decideReport(db, { reportId, action, reason: null, noteId });
  await givenChanged(db, "reviews", { notes: "Something else." });
  expect(await decide("remove-note")).toBe("review_gone");
  expect((await admin("reports")).out).toContain("Something else. (rewritten since the first report)");
  await givenDeleted(db, "reviews");
  expect(await decide("keep")).toBe("review_gone");
  expect(await admin("decide", reportId, "hide")).toMatchObject({
    exit: 1,
    err: expect.stringContaining("keep the report if nothing is left"),
  });
  expect(await admin("decide", reportId, "keep")).toMatchObject({ exit: 0 });
  expect(await readState()).toMatchObject({ reviews: [], dismissed: 0 });
  expect(await admin("reports")).toEqual({ exit: 0, out: "No report waits for a decision.\n", err: "" });
});

test.each(["remove-note", "remove-review"])(
  "undo of %s restores nothing over what the author has written since, and says so",
  async (action) => {
    await addReview(note.notes);
    const id = await addReport();
    const { out } = await admin("decide", id, action);
    await givenDeleted(db, "reviews");
    await addReview("My second thoughts.");
    const undone = await admin("undo", /undo (\d+)/.exec(out)?.[1] ?? "");
    expect(undone.out).toContain("stays removed: the author has written or deleted it since");
    expect(await readState()).toMatchObject({
      reviews: [{ notes: "My second thoughts.", hidden: null }],
      reports: [{ hidden: false, open: true }],
    });
  },
);

test("of two decisions on a report, the later one is undone first", async () => {
  await addReview(note.notes);
  const id = await addReport();
  const first = await decisionOf(id, "hide");
  await givenChanged(db, "reports", {
    objection: "It is my own name.",
    objected_at: new Date(),
    decided_at: null,
  });
  const second = await decisionOf(id, "keep");
  expect(await admin("undo", first)).toMatchObject({
    exit: 1,
    err: expect.stringContaining("A later decision"),
  });
  expect(await admin("undo", second)).toMatchObject({ exit: 0 });
  expect(await admin("undo", first)).toMatchObject({ exit: 0 });
});

test("the queue has the gravest rule first, then objections, and shows what a decision needs", async () => {
  for (const show of ["show-1", "show-2", "show-3", "show-4"])
    await addReview(`Note \u001b[2J of ${show}`, show);
  await addReport("fake", "show-1");
  await addReport("personal_data", "show-2");
  const objected = await addReport("personal_data", "show-3");
  await givenChanged(db, "reports", { objection: "It is my own name." }, { id: objected });
  const { out } = await admin("reports");
  expect(out.match(/show-\d(?=\))/g)).toEqual(["show-3", "show-2", "show-1"]);
  expect(out.split("\n")[0]).toMatch(
    /^\d+: personal_data, OBJECTION, since .*Z, hidden, reported by 3: “Show 3” \(show-3\): Note \\u\{1b\}\[2J of show-3$/,
  );
  const inFull = await admin("reports", objected);
  for (const part of [
    "personal_data 1",
    "It names me.",
    "It is my own name.",
    "“Show 4”",
    "wren@people.example",
  ])
    expect(inFull.out).toContain(part);
  const json = JSON.parse((await admin("reports", "--json")).out);
  expect(json).toHaveLength(3);
  expect(json[0]).toMatchObject({ id: objected, rule: "personal_data", show: { id: "show-3" } });
});

test("decide goes through the queue with one key each", async () => {
  for (const show of ["show-1", "show-2", "show-3"]) {
    await addReview(`Note of ${show}`, show);
    await addReport("abusive", show);
  }
  const pressed = ["x", "k", "s", "n"];
  const close = vi.fn();
  const keys = { next: async () => pressed.shift() ?? "q", close };
  const { out } = await captureOutput(() => decideQueue(db, keys));
  expect(out).toContain("That was the last one.");
  expect(close).toHaveBeenCalled();
  expect(await storedRows(db, "reviews", ["show_id", "notes", "hidden_rule"])).toEqual([
    { show_id: "show-1", notes: "Note of show-1", hidden_rule: null },
    { show_id: "show-2", notes: "Note of show-2", hidden_rule: "abusive" },
    { show_id: "show-3", notes: null, hidden_rule: null },
  ]);
  expect(await admin("decide")).toMatchObject({ exit: 1, err: expect.stringContaining("from a terminal") });
});

test("notes are found by their text as shows are, and listed newest first", async () => {
  await addReview("A café, 100% quiet");
  const ofPip = { user_id: pip.user.id, audience_interaction: "no" } as const;
  await givenReview(db, { ...ofPip, show_id: "show-2", notes: "Nobody was picked" });
  const newest = await admin("newest-notes", "--count", "1");
  expect(newest.out).toMatch(/^\S+ “Show 2” .*: no: Nobody was picked\n$/);
  expect((await admin("search-notes", "CAFE, 100%")).out).toMatch(/^\S+ “Show 1” .*\n$/);
  expect((await admin("search-notes", "100x")).out).toBe("");
});

test("remove-reviews removes what a dry run counts", async () => {
  await addReview("One");
  await addReview("Two", "show-2");
  await givenReview(db, { user_id: pip.user.id });
  const selection = ["--show", "show-1", "--since", "2025-08-02"];
  expect((await admin("remove-reviews", ...selection, "--dry-run")).out).toBe(
    "Would remove 2 reviews of 1 show by 2 users. Nothing was changed.\n",
  );
  expect((await admin("remove-reviews", ...selection)).out).toBe("Removed 2 reviews.\n");
  expect((await admin("remove-reviews", "--user", "pip@people.example", "--dry-run")).out).toContain(
    "0 reviews",
  );
  expect(await readState()).toMatchObject({ reviews: [{ notes: "Two" }] });
  const details = { show_id: "show-1", since: "2025-08-02T00:00:00.000Z", reviews: 2 };
  expect(await auditRows(db)).toEqual([{ action: "remove-reviews", details }]);
  await expectTrueTallies(db);
  expect(await admin("remove-reviews")).toMatchObject({ exit: 2 });
  expect(await admin("remove-reviews", "--since", "yesterday")).toMatchObject({ exit: 2 });
});

test("times that commands print are accepted by commands", async () => {
  await addReview("One");
  await addReview("Two", "show-2");
  for (const [show_id, at] of [
    ["show-1", "2025-08-03T10:20:30.450Z"],
    ["show-2", "2025-08-03T10:20:30.449Z"],
  ] as const)
    await givenChanged(db, "reviews", { created_at: new Date(at) }, { show_id });
  expect(await admin("quarantine", "pip@people.example")).toMatchObject({ exit: 0 });
  const listed = (await admin("newest-notes")).out + (await admin("quarantine")).out;
  const printed = listed.match(/\d{4}-\d\d-\d\dT\S*/g) ?? [];
  expect(printed).toHaveLength(3);
  for (const time of printed) {
    expect(await admin("suspicious", "--since", time)).toMatchObject({ exit: 0 });
    expect(await admin("remove-reviews", "--since", time, "--dry-run")).toMatchObject({ exit: 0 });
  }
  const counted = async (since: string) => (await admin("remove-reviews", "--since", since, "--dry-run")).out;
  expect(await counted(printed[0] ?? "")).toContain("1 review of 1 show");
  expect(await counted(printed[1] ?? "")).toContain("2 reviews of 2 shows");
  expect(await counted("2025-08-03T10:20:30.450999Z")).toContain("1 review of 1 show");
  for (const wrong of ["2025-02-30", "2025-08-03T10:20", "2025-08-03 10:20:30.450Z", "03/08/2025"])
    expect(await admin("remove-reviews", "--since", wrong, "--dry-run")).toMatchObject({ exit: 2 });
});

test("closed shows take no reviews, and give back one's own", async () => {
  expect(await admin("close-reviews", "--show", "show-1")).toMatchObject({ exit: 0 });
  expect(await refusal(await write("PUT", "show-1"))).toEqual([403, "reviews_closed"]);
  expect((await write("PUT", "show-2")).status).toBe(200);
  expect(await admin("close-reviews")).toMatchObject({ exit: 0 });
  expect(await admin("close-reviews")).toMatchObject({ exit: 1 });
  expect(await refusal(await write("PUT", "show-3"))).toEqual([403, "reviews_closed"]);
  expect((await write("DELETE", "show-2")).status).toBe(200);
  expect((await admin("open-reviews")).out).toContain("Other closures that stay: 1.");
  expect(await refusal(await write("PUT", "show-1"))).toEqual([403, "reviews_closed"]);
  expect(await admin("open-reviews", "--show", "show-1")).toMatchObject({ exit: 0 });
  expect((await write("PUT", "show-1")).status).toBe(200);
  expect((await auditRows(db)).map(({ action, details }) => [action, details])).toEqual([
    ["close-reviews", { show_id: "show-1" }],
    ["close-reviews", { show_id: "all" }],
    ["open-reviews", { show_id: "all" }],
    ["open-reviews", { show_id: "show-1" }],
  ]);
});

describe("an author whose notes are hidden", () => {
  const object = (body: object, session = wren) => callApi("POST", "/api/reviews/objections", body, session);
  const own = async () =>
    ownReviews.parse(await (await callApi("GET", "/api/reviews/mine")).json()).reviews[0];

  test("reads why, objects once, and is heard", async () => {
    await addReview(note.notes);
    expect(await own()).toMatchObject({ notes: note.notes, hidden: null });
    const id = await addReport();
    await admin("decide", id, "hide", "--reason", "A private person is named.");
    expect((await own())?.hidden).toEqual({ rule: "personal_data", objection: "possible" });
    const sent = await object({ show_id: "show-1", text: "  It is my own name.\n" });
    expect([sent.status, await sent.json()]).toEqual([201, { objected: true }]);
    expect(await refusal(await object({ show_id: "show-1", text: "Again." }))).toEqual([
      409,
      "already_objected",
    ]);
    expect((await object({ show_id: "show-1", text: "It is my own name." })).status).toBe(201);
    expect((await own())?.hidden).toEqual({ rule: "personal_data", objection: "sent" });
    expect((await admin("reports")).out).toContain(`${id}: personal_data, OBJECTION`);
    expect((await admin("decide", id, "keep")).out).toContain("OBJECTION: It is my own name.");
    expect((await own())?.hidden).toBeNull();
  });

  test("cannot object to what is not hidden, or is not theirs, or without words", async () => {
    await addReview(note.notes);
    await addReview("Nothing wrong here.", "show-2");
    await addReport();
    const fine = { show_id: "show-1", text: "No." };
    const nothingHidden = [404, "nothing_hidden"];
    expect(await refusal(await object(fine, pip))).toEqual(nothingHidden);
    expect(await refusal(await object({ ...fine, show_id: "show-2" }))).toEqual(nothingHidden);
    for (const text of ["", " \u200b", "x".repeat(501), "\u0000", 7])
      expect(await refusal(await object({ ...fine, text }))).toEqual([400, "invalid_objection"]);
    expect(await refusal(await object(fine))).toEqual([429, "rate_limited"]);
  });

  test("finds reports and decisions in their data, and nothing of who reported", async () => {
    await addReview(note.notes);
    const id = await addReport();
    await admin("decide", id, "hide", "--reason", "A private person is named.");
    const authors = (await admin("export-user", wren.user.id)).out;
    expect(JSON.parse(authors)).toMatchObject({
      reports_of_your_notes: [
        { show_id: "show-1", decisions: [{ decision: "hide", reason: "A private person is named." }] },
      ],
      reports_made: [],
    });
    expect(authors).not.toContain(pip.user.id);
    expect(authors).not.toContain("It names me.");
    const reporters = JSON.parse((await admin("export-user", pip.user.id)).out);
    expect(reporters.reports_made).toMatchObject([{ show_id: "show-1", text: "It names me." }]);
  });
});

test("reports go 90 days after their decision, and what they hide stays hidden", async () => {
  await addReview(note.notes);
  await addReview("Another one.", "show-2");
  const id = await addReport();
  await addReport("fake", "show-2");
  await admin("decide", id, "hide");
  await givenEarlier(db, "reports", ["decided_at"], { days: 89 });
  await deleteOldReports(db);
  expect(await readState()).toMatchObject({ reports: [{ open: false }, { open: true }] });
  await givenEarlier(db, "reports", ["decided_at"], { days: 2 });
  await deleteOldReports(db);
  expect(await countRows(db, ["reports", "report_reasons", "decisions"])).toEqual({
    ...{ reports: 1, report_reasons: 1, decisions: 0 },
  });
  const { reviews } = await (await callApi("GET", "/api/reviews/mine")).json();
  expect(reviews.map(({ hidden }: { hidden: object }) => hidden)).toContainEqual({
    rule: "personal_data",
    objection: "over",
  });
});

test("hidden notes leave the site within a second, and come back", async () => {
  const shown = async () => {
    const response = await accountsSite.site.api("/api/reviews?show_id=show-1");
    const { yes } = notesByShow.parse(await response.json()).reviews["show-1"] ?? expect.fail();
    return { count: yes.count, notes: yes.notes.map(({ notes }) => notes) };
  };
  const soon = { timeout: 1_000, interval: 20 };
  await addReview(note.notes);
  const id = await addReport();
  const decision = await decisionOf(id, "keep");
  await expect.poll(shown, soon).toEqual({ count: 1, notes: [note.notes] });
  await admin("undo", decision);
  await expect.poll(shown, soon).toEqual({ count: 1, notes: [] });
  const removal = await decisionOf(id, "remove-review");
  await expect.poll(shown, soon).toEqual({ count: 0, notes: [] });
  await admin("undo", removal);
  await decisionOf(id, "keep");
  await expect.poll(shown, soon).toEqual({ count: 1, notes: [note.notes] });
});

test("deleting an author deletes the reports, and deleting a reporter keeps what was said", async () => {
  const robin = await signIn(accountsSite.site.origin, "google", { email: "robin@people.example" });
  await addReview(note.notes);
  const id = await addReport();
  await givenChanged(db, "report_reasons", { reporter_id: robin.user.id });
  await admin("delete-user", robin.user.id);
  expect((await admin("reports", id)).out).toContain("It names me.");
  await admin("decide", id, "hide");
  await admin("delete-user", wren.user.id);
  wren = await signInAsWren();
  expect(await admin("reports", id)).toMatchObject({ exit: 1 });
  await expectTrueTallies(db);
});
