import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { forgetDeletedAccounts } from "../../src/auth/store/manage-users.server.ts";
import type { ReportReason } from "../../src/domain/report.ts";
import { ownReviews } from "../../src/domain/review-dto.ts";
import type { DecisionAction } from "../../src/moderation/store/decisions.server.ts";
import { reviewCleanup } from "../../src/moderation/store/review-cleanup.server.ts";
import { copyReviews } from "../../src/reviews/store/reviews-of-user.server.ts";
import { findReviewsByUser } from "../../src/reviews/store/reviews-table.server.ts";
import { bearer, statusAndCode as refusal, type SessionResponse, signIn } from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import {
  ago,
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenIdentity,
  givenNone,
  givenReport,
  givenReportedNote,
  givenReview,
  givenReviews,
  givenShows,
  givenUsers,
} from "../support/given.ts";
import { givenNoJobs, waitingJob } from "../support/job-queue.ts";
import { decide, findOpenReports } from "../support/queue.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { auditRows, countRows, expectTrueTallies, storedRows, storedTexts } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, 4);
const accountsSite = await setUpAccountsSite(database);
let wren = await signInAsWren();
const pip = await signIn(accountsSite.site.origin, "github", { email: "pip@people.example" });
beforeEach(async () => {
  await givenNone(db, "reports", "audit", "review_closures", "review_limits");
  await givenDeleted(db, "reviews");
  await givenNone(db, "deleted_reviews", "deleted_accounts");
  await givenChanged(db, "users", { dismissed_reports: 0, banned_at: null });
});

function signInAsWren(): Promise<SessionResponse> {
  return signIn(accountsSite.site.origin, "google", { email: "wren@people.example" });
}

const admin = (...args: string[]) => runAdmin(database, args);
const cleanUp = () => reviewCleanup.run({ db, payload: {}, signal: new AbortController().signal });

/** Stores a review by Wren. */
const addReview = (notes: string | null, show_id = "show-1") =>
  givenReview(db, { show_id, user_id: wren.user.id, notes, created_at: new Date("2025-08-02T10:00:00Z") });

/** A note by Wren that Pip has reported, which has hidden it. Returns the report's id. */
function addReport(rule: ReportReason = "personal_data", show_id = "show-1", notes = note.notes) {
  const report = { author_id: wren.user.id, show_id, notes, rule, anonymous_count: 2, hidden: true };
  return givenReportedNote(db, { ...report, reporter_id: pip.user.id, text: "It names me." });
}

/** Writes or deletes a review as the page does, by default Wren's. */
function write(method: "PUT" | "DELETE", show: string, notes: string | null = null, by = wren) {
  const body = { show_id: show, user_id: by.user.id, audience_interaction: "yes", notes };
  if (method === "DELETE") return callApi(method, `/api/reviews?show_id=${show}`, undefined, by);
  return callApi(method, "/api/reviews", body, by);
}

const callApi = (method: string, path: string, body?: object, session = wren) =>
  accountsSite.site.api(path, bearer(session), { method, body: body && JSON.stringify(body) });

/** All state that decisions change. */
async function readState() {
  const marks = ["hidden_rule", "hidden_at", "removal", "removed_at", "counted"] as const;
  const reviews = await storedRows(db, "reviews", ["show_id", "notes", "note_id", "created_at", ...marks]);
  const reports = await storedRows(db, "reports", ["id", "decided_at"]);
  const users = await storedRows(db, "users", ["id", "banned_at", "dismissed_reports"]);
  const userOf = (session: SessionResponse) => users.find(({ id }) => id === session.user.id);
  return {
    reviews: reviews.map(({ hidden_rule, ...review }) => ({ ...review, hidden: hidden_rule })),
    open: reports.map(({ decided_at }) => decided_at === null),
    banned: userOf(wren)?.banned_at !== null,
    dismissed: userOf(pip)?.dismissed_reports,
  };
}

const note = { notes: "Ada from row 3 was picked.", hidden: null };
const hidden = { ...note, hidden: "personal_data" };

describe("a decision", () => {
  // A ban ends the session.
  afterAll(async () => {
    wren = await signInAsWren();
  });

  test.each<[DecisionAction, review: object, others: object, shown: (string | null)[]]>([
    ["keep", note, { dismissed: 1 }, [note.notes]],
    ["hide", hidden, {}, [note.notes]],
    ["remove-note", { ...hidden, removal: "note" }, {}, [null]],
    ["remove-review", { ...hidden, removal: "review", counted: false }, {}, []],
    ["ban", hidden, { banned: true }, [note.notes]],
  ])("%s is done and audited, and undone", async (action, review, others, shown) => {
    const id = await addReport();
    const before = await readState();
    const options = action === "remove-note" ? ["--no-for-good"] : [];
    const isByLink = action === "keep" || action === "hide";
    const decisionId = isByLink
      ? await decide(db, id, action)
      : /undo (\d+)/.exec((await admin("decide-report", id, action, ...options)).out)?.[1];
    expect(await readState()).toMatchObject({
      ...{ reviews: [review], open: [false], banned: false, dismissed: 0 },
      ...others,
    });
    await expectTrueTallies(db);
    // The lists of author and operator match the copy of the author's data.
    const own = await db.transaction().execute((trx) => copyReviews(trx, wren.user.id));
    expect(own.reviews).toMatchObject([{ notes: note.notes }]);
    const { reviews } = await findReviewsByUser(db, wren.user.id, 1);
    expect(reviews.map(({ notes }) => notes)).toEqual(shown);
    const listed = (await admin("list-reviews", "--show", "show-1")).out;
    expect(listed.includes(note.notes)).toBe(shown.includes(note.notes));
    expect(await admin("undo", decisionId ?? "")).toMatchObject({ exit: 0, err: "" });
    expect(await readState()).toEqual(before);
    const details = { report_id: id, decision_id: decisionId, decision: action, show_id: "show-1" };
    const entry = { ...details, user_id: wren.user.id };
    expect(await auditRows(db)).toEqual([
      { action: "decide-report", details: entry },
      { action: "undo-decision", details: entry },
    ]);
    await expectTrueTallies(db);
    expect(await admin("undo", decisionId ?? "")).toMatchObject({ exit: 1 });
  });
});

test("undoing a ban leaves an earlier one", async () => {
  const banned_at = ago({ days: 1 });
  await givenChanged(db, "users", { banned_at }, { id: wren.user.id });
  const decisionId = await decide(db, await addReport(), "ban");
  expect(await admin("undo", decisionId)).toMatchObject({ exit: 0 });
  expect(await storedRows(db, "users", ["id", "banned_at"])).toContainEqual({ id: wren.user.id, banned_at });
});

test("decide-report decides nothing on a note that is gone, and says what to do instead", async () => {
  const reportId = await addReport("abusive");
  await givenDeleted(db, "reviews");
  expect(await admin("decide-report", reportId, "remove-note")).toMatchObject({
    ...{ exit: 1, out: expect.stringContaining("(the review was deleted or removed since)") },
    err: expect.stringContaining("keep the report if nothing is left"),
  });
  await decide(db, reportId, "keep");
  expect(await readState()).toMatchObject({ reviews: [], dismissed: 0 });
  expect(await findOpenReports(db)).toEqual([]);
});

test("deleting the account, each time and with any identity, ends no restriction and no decision for 30 days", async () => {
  const signInAsRobin = (provider: "google" | "github") =>
    signIn(accountsSite.site.origin, provider, { email: "robin@people.example" });
  let robin = await signInAsRobin("google");
  await signInAsRobin("github");
  const created_at = new Date("2025-08-03T09:00:00.000Z");
  const ofRobin = { user_id: robin.user.id, created_at } as const;
  await givenReviews(db, [
    { ...ofRobin, notes: "Bo shouted." },
    { ...ofRobin, show_id: "show-2", notes: "Cy lives there.", hidden_rule: "illegal" },
  ]);
  await write("DELETE", "show-2", null, robin);
  const reportId = await givenReport(db, { author_id: robin.user.id, rule: "abusive" });
  await decide(db, reportId, "hide");
  await write("PUT", "show-1", "A pause.", robin);
  await decide(db, reportId, "keep");
  const brakes = { quarantined_at: ago({ days: 3 }), dismissed_reports: 7 };
  await givenChanged(db, "users", brakes, { id: robin.user.id });
  const users = () => storedRows(db, "users", ["id", "quarantined_at", "dismissed_reports"]);
  for (const [provider, hiddenAt, keptAt] of [
    ["google", "show-3", "show-4"],
    ["github", "show-4", "show-3"],
    ["google", "show-3", "show-4"],
  ] as const) {
    const { id } = robin.user;
    await admin("delete-user", id);
    const kept = [await storedTexts(db, "deleted_accounts"), await storedTexts(db, "deleted_reviews")];
    expect(kept.join()).not.toMatch(new RegExp(`${id}|shouted|robin`));
    robin = await signInAsRobin(provider);
    expect(robin.user.id).not.toBe(id);
    expect(await users()).toContainEqual({ id: robin.user.id, ...brakes });
    await givenNone(db, "review_limits");
    await write("PUT", "show-1", "Kind.", robin);
    await write("PUT", "show-2", "Cy does not live there.", robin);
    await write("PUT", hiddenAt, "Bo shouted.", robin);
    await write("PUT", keptAt, "A pause.", robin);
    const reviews = await storedRows(db, "reviews", ["show_id", "hidden_rule", "counted", "created_at"]);
    const rules = { "show-1": null, "show-2": "illegal", [hiddenAt]: "abusive", [keptAt]: null };
    expect(Object.fromEntries(reviews.map((each) => [each.show_id, each.hidden_rule]))).toEqual(rules);
    const returned = { counted: false, created_at };
    expect(reviews).toMatchObject([returned, returned, { counted: false }, { counted: false }]);
    expect((await findOpenReports(db)).map(({ rule, rewritten }) => [rule, rewritten])).toEqual([
      ["illegal", true],
      ["abusive", false],
    ]);
  }
  await admin("delete-user", robin.user.id);
  for (const table of ["deleted_accounts", "deleted_reviews"] as const)
    await givenEarlier(db, table, ["deleted_at"], { days: 30 });
  await givenEarlier(db, "text_verdicts", ["at"], { days: 30 });
  const { user } = await signInAsRobin("google");
  expect(await users()).toContainEqual({ id: user.id, quarantined_at: null, dismissed_reports: 0 });
  await givenReview(db, { user_id: user.id, notes: "Bo shouted." });
  expect(await storedRows(db, "reviews", ["hidden_rule", "counted"])).toEqual([
    { hidden_rule: null, counted: true },
  ]);
  await forgetDeletedAccounts(db);
  await cleanUp();
  expect(await countRows(db, ["deleted_accounts", "deleted_reviews", "text_verdicts"])).toEqual({
    ...{ deleted_accounts: 0, deleted_reviews: 0, text_verdicts: 0 },
  });
  await expectTrueTallies(db);
});

test("restrictions return once, also for a review written before the identity was linked", async () => {
  const created_at = new Date("2025-08-01T09:00:00.000Z");
  const [former = "", user_id = ""] = await givenUsers(db, [{ quarantined_at: new Date() }, {}]);
  for (const provider of ["google", "github"] as const)
    await givenIdentity(db, { user_id: former, provider, subject: "m" });
  await givenReviews(db, [
    { user_id: former, notes: "Bo shouted.", created_at, hidden_rule: "abusive" },
    { user_id: former, show_id: "show-2", created_at, hidden_rule: "fake" },
  ]);
  await deleteUser(db, former);
  for (const show_id of ["show-1", "show-3"])
    await givenReview(db, { user_id, show_id, notes: "Bo shouted." });
  await db
    .insertInto("deleted_reviews")
    .values({ user_id, show_id: "show-2", created_at: new Date() })
    .execute();
  await givenIdentity(db, { user_id, subject: "m" });
  const columns = ["created_at", "hidden_rule"] as const;
  expect(await storedRows(db, "reviews", ["show_id", ...columns])).toEqual([
    { show_id: "show-1", created_at, hidden_rule: "abusive" },
    { show_id: "show-3", created_at: expect.any(Date), hidden_rule: "abusive" },
  ]);
  expect(await storedRows(db, "deleted_reviews", ["show_id", ...columns])).toContainEqual({
    ...{ show_id: "show-2", created_at, hidden_rule: "fake" },
  });
  expect(await findOpenReports(db)).toMatchObject(Array(2).fill({ rule: "abusive", rewritten: false }));
  await givenChanged(db, "users", { quarantined_at: null });
  await givenIdentity(db, { user_id, provider: "github", subject: "m" });
  expect(await storedRows(db, "users", ["id", "quarantined_at"])).toContainEqual({
    ...{ id: user_id, quarantined_at: null },
  });
  await givenDeleted(db, "users", { id: user_id });
});

const lost = { email_verified: false };

test.each<[string, object, object, boolean]>([
  ["at the other provider", {}, { provider: "github" }, true],
  ["of another account at the same provider", {}, { subject: "2" }, true],
  [
    "in other case, of an account at the other provider",
    {},
    { provider: "github", email: "M@Moths.EXAMPLE" },
    true,
  ],
  ["that is another one", {}, { subject: "2", email: "m@moth.example" }, false],
  ["that the deleted account had lost", lost, { subject: "2" }, false],
])("standing and hidden texts follow a verified e-mail %s", async (_what, then, now, follows) => {
  const identity = { subject: "1", email: "m@moths.example" };
  const quarantined_at = new Date();
  const [former = "", user_id = ""] = await givenUsers(db, [{ quarantined_at, dismissed_reports: 2 }, {}]);
  for (const provider of ["google", "github"] as const)
    await givenIdentity(db, { user_id: former, provider, ...identity, subject: "0", ...then });
  await givenReview(db, { user_id: former, notes: "Bo shouted.", hidden_rule: "abusive" });
  await deleteUser(db, former);
  expect((await storedTexts(db, "deleted_accounts")).join()).not.toMatch(/moths/i);
  await givenIdentity(db, { user_id, ...identity, ...now });
  for (const [show_id, notes] of [
    ["show-1", "Cy sang."],
    ["show-2", "BO shouted!"],
  ] as const)
    await givenReview(db, { user_id, show_id, notes });
  const standing = { quarantined_at: follows ? quarantined_at : null, dismissed_reports: follows ? 2 : 0 };
  const users = await storedRows(db, "users", ["id", "quarantined_at", "dismissed_reports"]);
  expect(users).toContainEqual({ id: user_id, ...standing });
  const marks = { counted: !follows, hidden_rule: follows ? "abusive" : null };
  expect(await storedRows(db, "reviews", ["counted", "hidden_rule"])).toEqual([marks, marks]);
  await givenDeleted(db, "users", { id: user_id });
});

test("removed texts are deleted after 30 days, or with --for-good at once, which cannot be undone", async () => {
  const forGood = "This deletes the text of the note for good: it cannot be undone.";
  for (const [id, action, isForGood] of [
    [await addReport("personal_data", "show-1"), "remove-note", true],
    [await addReport("fake", "show-2", "Ada at show-2."), "remove-note", false],
    [await addReport("illegal", "show-3", "Ada at show-3."), "remove-review", false],
  ] as const) {
    const { out } = await admin("decide-report", id, action);
    expect([out.includes(forGood), out.includes("Undo: ")]).toEqual([isForGood, !isForGood]);
  }
  await addReview("Another one.", "show-4");
  const notes = async () => (await storedRows(db, "reviews", ["show_id", "notes"])).map(({ notes }) => notes);
  expect(await notes()).toEqual([null, "Ada at show-2.", "Ada at show-3.", "Another one."]);
  const decisions = await storedRows(db, "decisions", ["id"]);
  expect(await admin("undo", decisions[0]?.id ?? "")).toMatchObject({ exit: 1 });
  await givenEarlier(db, "reviews", ["removed_at"], { days: 29, hours: 23 });
  await cleanUp();
  expect(await notes()).toHaveLength(4);
  await givenEarlier(db, "reviews", ["removed_at"], { hours: 2 });
  await cleanUp();
  expect(await readState()).toMatchObject({
    reviews: [
      { show_id: "show-1", notes: null, hidden: null, removal: null },
      { show_id: "show-2", notes: null, hidden: null, removal: null },
      { show_id: "show-4", notes: "Another one." },
    ],
  });
  for (const { id } of decisions) expect(await admin("undo", id)).toMatchObject({ exit: 1 });
  await write("PUT", "show-3", "Ada at show-3.");
  const hiddenAgain = { show: { id: "show-3" }, visibility: "hidden" };
  expect(await findOpenReports(db)).toMatchObject([hiddenAgain]);
  await expectTrueTallies(db);
});

test("the queue has hidden notes first, then those of signed-in reporters, each by gravity and age", async () => {
  const reporters = await givenUsers(db, [{ dismissed_reports: 2, created_at: ago({ days: 12 }) }, {}]);
  const authors = await givenUsers(db, 6);
  const ids: string[] = [];
  for (const [rule, days, reporter, hidden] of [
    ["off_topic", 9, null, false],
    ["abusive", 1, 0, false],
    ["personal_data", 1, 1, false],
    ["abusive", 2, 0, false],
    ["fake", 1, 0, true],
    ["illegal", 1, 1, true],
  ] as const) {
    const notes = `Note \u001b[2J ${ids.length}`;
    const report = { author_id: authors[ids.length] ?? "", rule, opened_at: ago({ days }), notes, hidden };
    ids.push(await givenReportedNote(db, { ...report, reporter_id: reporters[reporter ?? -1] ?? null }));
  }
  const inOrder = [5, 4, 2, 3, 1, 0].map((index) => ids[index]);
  expect((await findOpenReports(db)).map(({ id }) => id)).toEqual(inOrder);
  // What people wrote is harmless on a terminal.
  const { out } = await admin("decide-report", ids[5] ?? "", "remove-review");
  expect(out).toMatch(
    /^Report \d+ on “Show 1” \(show-1\) by .*: Note \\u\{1b\}\[2J 5\nThe review is removed, .*Undo: /,
  );
});

test("notes are searched like shows, and listed newest first", async () => {
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
  expect(await readState()).toMatchObject({ reviews: [{ notes: "Two" }] });
  const details = { show_id: "show-1", since: "2025-08-02T00:00:00.000Z", reviews: 2 };
  expect(await auditRows(db)).toEqual([{ action: "remove-reviews", details }]);
  await expectTrueTallies(db);
});

test("times that commands print are accepted by commands, to the millisecond", async () => {
  const times = ["2025-08-03T10:20:30.450Z", "2025-08-03T10:20:30.449Z"];
  for (const [index, at] of times.entries()) {
    const review = { user_id: wren.user.id, notes: "x", show_id: `show-${index + 1}` };
    await givenReview(db, { ...review, created_at: new Date(at) });
  }
  expect((await admin("newest-notes")).out.match(/\d{4}-\d\d-\d\dT\S*/g)).toEqual(times);
  const counted = async (since: string) => (await admin("remove-reviews", "--since", since, "--dry-run")).out;
  expect(await counted(times[0] ?? "")).toContain("1 review of 1 show");
  expect(await counted(times[1] ?? "")).toContain("2 reviews of 2 shows");
  expect(await counted("2025-08-03T10:20:30.450999Z")).toContain("1 review of 1 show");
  for (const wrong of ["2025-02-30", "2025-08-03T10:20", "2025-08-03 10:20:30.450Z", "03/08/2025"])
    expect(await admin("remove-reviews", "--since", wrong, "--dry-run")).toMatchObject({ exit: 2 });
});

test("closed shows take no reviews, and let users delete theirs", async () => {
  const written = async (show: string) => (await write("PUT", show)).status;
  expect(await admin("close-reviews", "--show", "show-1")).toMatchObject({ exit: 0 });
  expect(await refusal(await write("PUT", "show-1"))).toEqual([403, "reviews_closed"]);
  expect(await written("show-2")).toBe(200);
  for (const exit of [0, 1]) expect(await admin("close-reviews")).toMatchObject({ exit });
  expect(await written("show-3")).toBe(403);
  expect((await write("DELETE", "show-2")).status).toBe(200);
  expect((await admin("open-reviews")).out).toContain("Other closures that stay: 1.");
  expect(await written("show-1")).toBe(403);
  expect(await admin("open-reviews", "--show", "show-1")).toMatchObject({ exit: 0 });
  expect(await written("show-1")).toBe(200);
  const entries = (await auditRows(db)).map(({ action, details }) => `${action} ${Object.values(details)}`);
  expect(entries).toEqual([
    "close-reviews show-1",
    "close-reviews all",
    "open-reviews all",
    "open-reviews show-1",
  ]);
});

describe("an author whose notes are hidden", () => {
  const object = (body: object, session = wren) => callApi("POST", "/api/reviews/objections", body, session);
  const own = async () =>
    ownReviews.parse(await (await callApi("GET", "/api/reviews/mine")).json()).reviews[0];

  test("reads why, objects once, and is heard", async () => {
    const id = await addReport();
    await decide(db, id, "hide", "A private person is named.");
    expect((await own())?.hidden).toEqual({ rule: "personal_data", objection: "possible" });
    await givenNoJobs(db);
    const sent = await object({ show_id: "show-1", text: "\u0085It is\v\u0007my own name.\n\0" });
    expect([sent.status, await sent.json()]).toEqual([201, { objected: true }]);
    const again = { show_id: "show-1", text: "Again." };
    expect(await refusal(await object(again))).toEqual([409, "already_objected"]);
    expect((await object({ show_id: "show-1", text: "It is\nmy own name." })).status).toBe(201);
    expect(await waitingJob(db, "notify-operator")).toBeDefined();
    expect((await own())?.hidden).toEqual({ rule: "personal_data", objection: "sent" });
    const objection = expect.stringMatching(/^It is.*\n.*my own name\.$/);
    expect(await findOpenReports(db)).toMatchObject([{ id, objection }]);
    await decide(db, id, "keep");
    expect((await own())?.hidden).toBeNull();
  });

  test("cannot object to notes that are not hidden or not theirs, or without a text", async () => {
    await addReport();
    await addReview("Nothing wrong here.", "show-2");
    const fine = { show_id: "show-1", text: "No." };
    const nothingHidden = [404, "nothing_hidden"];
    expect(await refusal(await object(fine, pip))).toEqual(nothingHidden);
    expect(await refusal(await object({ ...fine, show_id: "show-2" }))).toEqual(nothingHidden);
    for (const text of ["", " \u200b", "x".repeat(501), "\u0000", 7])
      expect(await refusal(await object({ ...fine, text }))).toEqual([400, "invalid_objection"]);
    expect(await refusal(await object(fine))).toEqual([429, "rate_limited"]);
  });

  test("finds in the data what was reported and decided, but not who reported", async () => {
    const id = await addReport();
    await addReview("Another one.", "show-4");
    await decide(db, id, "hide", "A private person is named.");
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

test("reports are deleted 90 days after their decision, and hidden notes stay hidden", async () => {
  const id = await addReport();
  await addReport("fake", "show-2", "Another one.");
  await decide(db, id, "hide");
  await givenEarlier(db, "reports", ["decided_at"], { days: 89 });
  await cleanUp();
  expect((await readState()).open).toEqual([false, true]);
  await givenEarlier(db, "reports", ["decided_at"], { days: 2 });
  await cleanUp();
  const left = { reports: 1, report_reasons: 1, decisions: 0 };
  expect(await countRows(db, ["reports", "report_reasons", "decisions"])).toEqual(left);
  // A kept note stays kept as long as the text is stored.
  await decide(db, (await findOpenReports(db))[0]?.id ?? "", "keep");
  for (const [notes, reports] of [
    ["Another one.", 1],
    ["A third one.", 0],
  ] as const) {
    await givenChanged(db, "reviews", { notes }, { show_id: "show-2" });
    await givenEarlier(db, "reports", ["decided_at"], { days: 91 });
    await cleanUp();
    expect(await countRows(db, ["reports"])).toEqual({ reports });
    const rows = await storedRows(db, "report_reasons", ["reason", "text"]);
    expect(rows).toEqual(reports ? [{ reason: "fake", text: null }] : []);
  }
  const { reviews } = await (await callApi("GET", "/api/reviews/mine")).json();
  expect(reviews.map(({ hidden }: { hidden: object }) => hidden)).toContainEqual({
    rule: "personal_data",
    objection: "over",
  });
});

test("deleting an author deletes the reports, and deleting a reporter keeps the reason, not the text", async () => {
  const robin = await signIn(accountsSite.site.origin, "google", { email: "robin@people.example" });
  const id = await addReport();
  await givenChanged(db, "report_reasons", { reporter_id: robin.user.id });
  await admin("delete-user", robin.user.id);
  const reasons = [{ reason: "personal_data", signed_in: true, count: 1 }];
  expect(await findOpenReports(db)).toMatchObject([{ reasons, texts: [] }]);
  await decide(db, id, "hide");
  await admin("delete-user", wren.user.id);
  wren = await signInAsWren();
  expect(await admin("decide-report", id, "ban")).toMatchObject({ exit: 1 });
  await expectTrueTallies(db);
});
