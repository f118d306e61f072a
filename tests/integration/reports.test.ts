import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  type InventedReviewer,
  inventReviewers,
  reviewHeaders,
  sendReview,
} from "../../dev/harness/reviewers.ts";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { defaultDeadline, transactionBefore } from "../../src/database/query/transaction-before.server.ts";
import type { Trx } from "../../src/database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../src/domain/report.ts";
import {
  type DecisionAction,
  decideReport,
  removingActions,
  undoDecision,
} from "../../src/moderation/store/decisions.server.ts";
import { insertReport, requeueHiddenNote } from "../../src/moderation/store/reports-table.server.ts";
import { moveReviews } from "../../src/reviews/store/move-reviews.server.ts";
import { deleteReview, deleteReviews, writeReview } from "../../src/reviews/store/reviews-table.server.ts";
import { statusAndCode as errorOf, securityEvents } from "../support/accounts.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import {
  ago,
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenIdentity,
  givenNone,
  givenReport,
  givenReportReason,
  givenReview,
  givenReviews,
  givenShows,
  givenUser,
} from "../support/given.ts";
import { givenNoJobs, waitingJob } from "../support/job-queue.ts";
import { decide as decideOn, findOpenReports } from "../support/queue.ts";
import { readNotes } from "../support/read-list.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { cancelLockWaiters, countLockWaiters, storedRows } from "../support/stored.ts";

const SHOW = "show-1";
const TEXT = "Names my neighbour.";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, [{ title: "Moth Hour" }, {}]);
const trusting = { TRUSTED_PROXIES: "127.0.0.1" };
const site = await setUpSite(database, trusting);
/** A second instance on the same database. */
const second = await setUpSite(database, { ...trusting, ORIGIN: site.origin });
let author: InventedReviewer;
/** Signed-in users who have reported nothing yet. */
let reporters: InventedReviewer[];
let noteId: string;

beforeEach(async () => {
  await givenDeleted(db, "users");
  await givenNone(db, "deleted_reviews", "deleted_accounts");
  const [first, ...others] = await inventReviewers(db, site.origin, 6);
  await givenEarlier(db, "users", ["created_at"], { days: 1 });
  author = first ?? expect.fail();
  reporters = others;
  noteId = await givenReview(db, { user_id: author.id, notes: TEXT });
});

/** The public notes at a server. */
async function notesAt(server: Site) {
  const notes = await readNotes(server, [SHOW], { "X-Forwarded-For": nextClient() });
  return notes[SHOW]?.yes ?? expect.fail();
}

let clients = 0;

/** An address that has sent no request yet. */
function nextClient(): string {
  clients += 1;
  return `198.18.${clients >> 8}.${clients & 255}`;
}

interface Sender {
  as?: InventedReviewer | undefined;
  client?: string;
  server?: Site;
}

function report(body: object, { as, client = nextClient(), server = site }: Sender = {}): Promise<Response> {
  const type = { "Content-Type": "application/json" };
  const headers = { ...(as ? reviewHeaders(as) : type), "X-Forwarded-For": client };
  const sent = JSON.stringify({ note_id: noteId, reason: "abusive", ...body });
  return server.api("/api/reports", headers, { method: "POST", body: sent });
}

/** Reports the note and expects success. */
async function reported(reason: ReportReason, sender?: Sender): Promise<void> {
  const response = await report({ reason }, sender);
  expect([response.status, await response.json()]).toEqual([201, { reported: true }]);
}

function call(method: string, path: string, body?: object): Promise<Response> {
  const version = { "X-Supabase-Api-Version": "2024-01-01" };
  return site.api(
    path,
    { ...reviewHeaders(author), ...version },
    { method, ...(body && { body: JSON.stringify(body) }) },
  );
}

/** The queue of the operator, with the reporters' texts. */
async function queue() {
  const reasons = await storedRows(db, "report_reasons", ["report_id"]);
  return (await findOpenReports(db)).map(({ id, rule, reporters, visibility }) => ({
    ...{ rule, anonymous: reporters.anonymous, hidden: visibility === "hidden" },
    reasons: reasons.filter(({ report_id }) => report_id === id).length,
  }));
}

/** Cuts the connection at each commit that has changed the table, until the end of the test. */
async function givenLostCommits(table: string): Promise<void> {
  await sql`create function lose_connection() returns trigger language plpgsql as
    'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`.execute(db);
  onTestFinished(async () => void (await sql`drop function lose_connection cascade`.execute(db)));
  await sql`create constraint trigger lose_connection after insert or update or delete on ${sql.table(table)}
    deferrable initially deferred for each row execute function lose_connection()`.execute(db);
}

test.each<[what: string, table: string, send: () => Promise<Response>]>([
  ["a report", "report_reasons", () => report({}, { as: reporters[0] })],
  ["a report without a session", "report_reasons", () => report({})],
  ["an objection", "reports", () => call("POST", "/api/reviews/objections", { show_id: SHOW, text: "No." })],
  ["a review", "reviews", () => call("PUT", "/api/reviews", { show_id: SHOW, user_id: author.id, audience_interaction: "no" })],
  ["the deletion of a review", "reviews", () => call("DELETE", `/api/reviews?show_id=${SHOW}`)],
  ["the deletion of an account", "users", () => call("DELETE", "/auth/v1/user", { email: "author@b.example" })],
])("%s whose commit was not confirmed may be stored, and the error says so (docs/product.md §5.15)", async (what, table, send) => {
  await givenChanged(db, "sessions", { provider: "github" });
  await givenChanged(db, "users", { email: "author@b.example" }, { id: author.id });
  if (what === "an objection") {
    await givenReport(db, { author_id: author.id, note_id: noteId });
    await givenChanged(db, "reviews", { hidden_rule: "abusive" });
  }
  await givenLostCommits(table);
  expect(await errorOf(await send())).toEqual([503, "unconfirmed"]);
}); // biome-ignore format: a table

test("reports of a note are one entry, with the gravest reason, and twenty reasons without a session", async () => {
  expect(await report({ text: "  See\r\nline 2. " }).then(({ status }) => status)).toBe(201);
  await reported("fake", { as: reporters[0] });
  await reported("illegal");
  // Claims without a session do not count.
  expect(await queue()).toEqual([{ rule: "fake", anonymous: 2, hidden: false, reasons: 3 }]);
  expect(await storedRows(db, "report_reasons", ["reason", "text", "reporter_id"])).toEqual([
    { reason: "abusive", text: "See\nline 2.", reporter_id: null },
    { reason: "fake", text: null, reporter_id: reporters[0]?.id },
    { reason: "illegal", text: null, reporter_id: null },
  ]);
  for (let n = 0; n < 10; n++) await Promise.all([reported("illegal"), reported("fake")]);
  expect(await queue()).toEqual([{ rule: "fake", anonymous: 22, hidden: false, reasons: 21 }]);
});

test("a repeated report of a note counts once, also concurrently and on another instance", async () => {
  const client = nextClient();
  await reported("fake", { client });
  await reported("personal_data", { client });
  const as = reporters[0];
  await Promise.all([site, second, site].map((server) => reported("abusive", { as, server })));
  expect(await queue()).toEqual([{ rule: "abusive", anonymous: 1, hidden: false, reasons: 2 }]);
});

test("a repeat without a session waits until the first report is stored, and fails with it", async () => {
  const client = nextClient();
  const statuses: number[] = [];
  const send = async () => void statuses.push((await report({ reason: "illegal" }, { client })).status);
  await db.transaction().execute(async (holding) => {
    await holding.selectFrom("users").select("id").where("id", "=", author.id).forUpdate().execute();
    const failing = [send(), send(), send()];
    // Any transaction that waits for the author fails.
    const failed = async () => {
      await cancelLockWaiters(db);
      return statuses.length === failing.length;
    };
    await expect.poll(failed).toBe(true);
    expect(statuses.splice(0)).toEqual([503, 503, 503]);
    void send();
    void send();
    await expect.poll(() => countLockWaiters(db)).toBe(1);
    expect(statuses).toEqual([]);
  });
  await expect.poll(() => statuses).toEqual([201, 201]);
  expect(await queue()).toEqual([{ rule: "off_topic", anonymous: 1, hidden: false, reasons: 1 }]);
});

test("authors cannot report their own notes, and a deleted note cannot be reported", async () => {
  await reported("illegal", { as: author });
  expect(await queue()).toEqual([]);
  await givenChanged(db, "reviews", { notes: "Changed." });
  expect(await errorOf(await report({}, { as: reporters[0] }))).toEqual([404, "note_not_found"]);
  expect(await errorOf(await report({ note_id: crypto.randomUUID() }))).toEqual([404, "note_not_found"]);
  await givenChanged(db, "reviews", { notes: null });
  const [review] = await storedRows(db, "reviews", ["note_id"]);
  expect(await errorOf(await report({ ...review }))).toEqual([404, "note_not_found"]);
  expect(await queue()).toEqual([]);
});

test("three signed-in reporters hide the text everywhere, and the tally stays", async () => {
  await reported("abusive", { as: reporters[0] });
  await reported("illegal");
  await reported("fake", { as: reporters[1], server: second });
  const seen = () => Promise.all([site, second].map(notesAt));
  const note = { id: noteId, notes: TEXT };
  await expect.poll(seen).toMatchObject(Array(2).fill({ count: 1, total: 1, notes: [note] }));
  await reported("abusive", { as: reporters[2], server: second });
  await expect.poll(seen).toEqual(Array(2).fill({ count: 1, total: 0, notes: [] }));
  for (const server of [site, second]) await expect.poll(() => readPage(server)).not.toContain(TEXT);
  // A reporter gets the same response as before. To others the note does not exist.
  await reported("abusive", { as: reporters[2] });
  expect(await errorOf(await report({}, { as: reporters[3] }))).toEqual([404, "note_not_found"]);
  expect(await queue()).toEqual([{ rule: "abusive", anonymous: 1, hidden: true, reasons: 4 }]);
  const own = await site.api("/api/reviews/mine", reviewHeaders(author));
  expect((await own.json()).reviews).toMatchObject([{ notes: TEXT }]);
  await decide("keep");
  await expect.poll(seen).toMatchObject(Array(2).fill({ notes: [note] }));
});

test.each([
  { of: "who was dismissed three times", change: { dismissed_reports: 3 }, hides: false },
  { of: "in quarantine", change: { quarantined_at: new Date() }, hides: false },
  { of: "younger than a day", change: { created_at: ago({ hours: 22 }) }, hides: false },
  { of: "who was dismissed twice", change: { dismissed_reports: 2 }, hides: true },
])("a report of personal data by a user $of reaches the queue, hidden: $hides", async ({ change, hides }) => {
  const [as = expect.fail(), abused, urgent] = reporters;
  await givenChanged(db, "users", change, { id: as.id });
  await reported("personal_data", { as });
  expect(await queue()).toEqual([{ rule: "personal_data", anonymous: 0, hidden: hides, reasons: 1 }]);
  if (hides) return;
  await reported("abusive", { as: abused });
  expect(await queue()).toMatchObject([{ hidden: false, reasons: 2 }]);
  await reported("illegal", { as: urgent });
  expect(await queue()).toMatchObject([{ rule: "personal_data", hidden: true, reasons: 3 }]);
});

/** Decides on the first open report. Returns the decision's id. */
async function decide(action: DecisionAction): Promise<string> {
  const [open = expect.fail()] = await findOpenReports(db);
  return decideOn(db, open.id, action);
}

/** Sends the author's review. Returns the id of its note. */
async function rewrite(notes: string | null, show_id = SHOW): Promise<string> {
  await givenNone(db, "review_limits");
  const sent = await sendReview(site.origin, author, { show_id, audience_interaction: "yes", notes });
  expect(sent.status).toBe(200);
  const reviews = await storedRows(db, "reviews", ["show_id", "note_id"]);
  return reviews.find((review) => review.show_id === show_id)?.note_id ?? expect.fail();
}

const deleteOwn = (show = SHOW) =>
  fetch(`${site.origin}/api/reviews?show_id=${show}`, { method: "DELETE", headers: reviewHeaders(author) });

/** The rules under which notes are hidden, by show. */
const hiding = async () =>
  (await storedRows(db, "reviews", ["show_id", "hidden_rule"])).map(({ hidden_rule }) => hidden_rule);

describe("what becomes of an author's notes", () => {
  const notes = {
    ...{ A: TEXT, B: "A pause.", C: "An usher.", D: "A seat.", "-": null },
    // To people the same as A and B.
    ...{
      a1: "NAMES\tmy\n\nneighbour",
      a2: "Na\u200bmes my neigh\u00adbour…",
      a3: "“Names” — my\u00a0neighbour?!",
    },
    ...{ b1: "a  pause" },
  };
  let decisions: string[];
  let reportCount: number;
  beforeEach(() => {
    decisions = [];
    reportCount = 0;
  });

  /** Reports are of the note that was written last, by the next reporter if none is named, by 0 without a session. */
  async function perform(step: string): Promise<void> {
    const [verb = "", word = ""] = step.split(" ");
    const show_id = step.endsWith(" at 2") ? "show-2" : SHOW;
    const reason = reportReasons.find((each) => each === verb);
    const action = (["keep", "hide", ...removingActions] as const).find((each) => each === verb);
    if (reason) {
      const reporter = Number(/ by (\d)/.exec(step)?.[1] ?? ++reportCount);
      await reported(reason, { as: reporters[reporter - 1] });
    } else if (action) decisions.push(await decide(action));
    else if (verb === "write") noteId = await rewrite(notes[word as keyof typeof notes], show_id);
    else if (verb === "delete") await deleteOwn(show_id);
    else if (verb === "return") await deleteAccountAndReturn();
    else if (verb === "undo") {
      const [, refused] = step.split(": ");
      const undone = await undoDecision(db, decisions[Number.parseInt(word, 10) - 1] ?? "");
      if (refused) expect(undone).toEqual({ refused });
      else expect(undone).not.toHaveProperty("refused");
    } else if (verb === "expire") await givenDeleted(db, "reports");
    else if (verb === "object") {
      await givenChanged(db, "reports", { objection: "Mine.", objected_at: new Date(), decided_at: null });
    } else if (verb === "move") {
      const older = { show_id: "show-2", notes: notes.D, created_at: ago({ days: 3 }) };
      await givenReview(db, { user_id: author.id, ...older });
      expect(await moveReviews(db, { from: SHOW, to: "show-2" })).toMatchObject({ swapped: 1 });
    } else if (verb === "forget") {
      // Hidden before hashes existed, and without notes then.
      const unknown = { notes: null, hidden_rule: "abusive", hidden_hash: null } as const;
      await givenChanged(db, "reviews", unknown, { show_id });
    } else expect.fail(`Unknown: ${step}`);
  }

  /** The author gets another session and id. */
  async function deleteAccountAndReturn(): Promise<void> {
    await givenNone(db, "identities");
    await givenIdentity(db, { user_id: author.id });
    await deleteUser(db, author.id);
    [author = expect.fail()] = await inventReviewers(db, site.origin, 1);
    await givenIdentity(db, { user_id: author.id });
  }

  /** By show: the note, the rule that hides it, and whether a report of it waits. */
  async function readState(): Promise<string> {
    const open = await findOpenReports(db);
    const reviews = await storedRows(db, "reviews", ["show_id", "notes", "hidden_rule"]);
    const states = reviews.map(({ show_id, notes: stored, hidden_rule }) => {
      const report = open.find(({ show }) => show.id === show_id);
      const waits = report ? [report.rewritten ? "waits as changed" : "waits"] : [];
      const letter = Object.entries(notes).find(([, text]) => text === stored)?.[0];
      return [letter, hidden_rule ?? "shown", ...waits].join(" ");
    });
    return states.join("; ");
  }

  /** B is hidden in place of A, which was kept and is shown again. */
  const back = "illegal, keep, write B, illegal, hide, write A";

  test.each([
    // A hidden text comes back hidden after another one was kept.
    ["illegal, write B, keep, write A", "A illegal waits"],
    ["illegal, remove-note, write B, keep, write A", "A illegal waits"],
    // … and after the review was deleted and written again, until it is kept.
    ["illegal, delete, keep, write -, write A", "A illegal waits"],
    ["illegal, delete, keep, write A, keep, delete, write A", "A shown"],
    // A kept text is not hidden again. Another one is.
    ["illegal, keep, write B, write A, personal_data", "A shown waits"],
    ["illegal, keep, write B, illegal", "B illegal waits"],
    // A kept text takes the place of a hidden one, which comes back hidden.
    ["illegal, keep, write B, personal_data, write A", "A shown waits as changed"],
    ["illegal, keep, write B, personal_data, hide, write A", "A shown"],
    ["illegal, keep, forget, write A", "A shown"],
    ["illegal, keep, write B, personal_data, write A, write B", "B personal_data waits"],
    ["illegal, keep, write B, personal_data, hide, write A, write B at 2", "A shown; B personal_data waits"],
    // That another text is kept where it was hidden says nothing of a kept text.
    ["illegal, write A at 2, keep, write B at 2, keep, write A at 2", "A shown; A shown"],
    ["illegal, write A at 2, keep, return, write B at 2, keep, return, write A", "A shown"],
    // It ends the hiding for itself alone. Only a decision on a hidden text does so for others.
    [`${back}, write C`, "C illegal waits as changed"],
    [`${back}, write C, keep, write D`, "D shown"],
    [`${back}, delete, write A, write C`, "C illegal waits as changed"],
    [`${back}, return, write A, write C`, "C illegal waits as changed"],
    [`${back}, write -, write C`, "C illegal waits as changed"],
    [`${back}, fake, keep, write C`, "C illegal waits as changed"],
    [`${back}, fake, hide, undo 3, write C`, "C fake waits as changed"],
    [`${back}, move, write C at 2`, "D shown; C illegal waits as changed"],
    ["illegal, keep, write B, illegal, write A, write C", "C illegal waits as changed"],
    // A text is the same to people with other case, white space, punctuation and invisible characters.
    ["illegal, hide, write a1", "a1 illegal"],
    ["illegal, hide, write B, keep, write a2", "a2 illegal"],
    ["illegal, hide, write a1 at 2, write a3", "a3 illegal; a1 illegal waits"],
    ["illegal, delete, write a3 at 2, write -", "- illegal waits; a3 illegal waits"],
    ["illegal, return, write a2", "a2 illegal waits"],
    ["illegal, hide, write B, keep, write b1, abusive, personal_data", "b1 shown waits"],
    ["illegal, keep, write a1, illegal", "a1 shown waits"],
    // A text that waits is hidden at other shows, too.
    ["illegal, write B, write b1 at 2", "B illegal waits as changed; b1 illegal waits"],
    ["illegal, write B, delete, write B at 2, write -", "- illegal waits; B illegal waits"],
    ["illegal, write B, return, write b1 at 2, write -", "- illegal; b1 illegal waits"],
    // A new text in place of a hidden or removed one waits hidden for a decision, which then holds.
    ["illegal, hide, write B", "B illegal waits as changed"],
    ["illegal, hide, write B, hide, write B", "B illegal"],
    ["illegal, hide, write B, keep", "B shown"],
    ["illegal, delete, write B", "B illegal waits as changed"],
    ["illegal, remove-note, write A, undo 1: not_stored", "A illegal waits"],
    ["illegal, remove-review, write A, undo 1: not_stored", "A illegal waits"],
    ["illegal, remove-review, write B, hide, write B", "B illegal"],
    // A user can report a text again when it comes back undecided. If it was kept, with another reason.
    ["abusive, write B, keep, write A, illegal by 1, illegal by 1", "A illegal waits"],
    ["illegal, keep, illegal by 1", "A shown"],
    ["illegal, keep, fake by 1, fake by 1", "A shown waits"],
    // Undoing shows nothing that was hidden otherwise. The later decision is undone first.
    ["illegal, delete, keep, write A, undo 1", "A illegal waits"],
    ["illegal, keep, abusive, hide, undo 1: decided_again", "A abusive"],
    ["illegal, keep, abusive, hide, undo 2, undo 1: reported_again", "A shown waits"],
    ["illegal, keep, write B, illegal, hide, undo 1: decided_again, undo 2", "B illegal waits"],
    ["illegal, hide, object, keep, undo 1: decided_again, undo 2, undo 1", "A illegal waits"],
    // A note is changed if it differs from the one that was hidden, also after the report has expired.
    ["fake by 0, write B, illegal", "B illegal waits"],
    ["fake by 0, write B, illegal, write A", "A illegal waits as changed"],
    ["illegal, write B, hide, expire, write B", "B illegal waits"],
    // Decisions hold after the review was moved to another show.
    ["illegal, keep, move, delete at 2, write A at 2, personal_data", "D shown; A shown waits"],
    ["illegal, remove-note, move, undo 1", "D shown; A illegal waits"],
  ])("%s: %s", async (history, end) => {
    const [first] = await storedRows(db, "reviews", ["created_at", "counted"]);
    for (const step of history.split(", ")) await perform(step);
    expect(await readState()).toBe(end);
    expect(await storedRows(db, "reviews", ["created_at", "counted"])).toContainEqual(first);
  });
});

describe("a property of the author's texts", () => {
  const texts = ["Names Al", "A pause", "An usher", "A seat"];
  const variants = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => `“${text.replace(" ", " \u200b\n ")}!”`,
  ];
  const step = fc.record({
    kind: fc.constantFrom(
      ...(["write", "write", "write", "write", "report", "report", "flag", "flag"] as const),
      ...(["keep", "keep", "hide", "remove-note", "delete", "return"] as const),
    ),
    show: fc.constantFrom("show-1", "show-2"),
    text: fc.nat(texts.length - 1),
    vary: fc.constantFrom(...variants),
  });
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
  const textOf = (notes: string) => texts.findIndex((text) => variants.some((vary) => vary(text) === notes));
  const run = <T>(work: (trx: Trx) => Promise<T>) => transactionBefore(db, defaultDeadline(), work);

  /** What must hold for the author of a history. */
  function createModel() {
    const [hidden, kept, decided] = [new Set<number>(), new Set<number>(), new Set<number>()];
    /** The text at each show since which what stands there is hidden. */
    const marked = new Map<string, number>();
    const hide = (text: number, show: string) => {
      hidden.add(text);
      if (!marked.has(show)) marked.set(show, text);
    };
    return {
      hide,
      isHidden: (text: number, show: string) => !kept.has(text) && (hidden.has(text) || marked.has(show)),
      isDecided: (text: number) => decided.has(text),
      decide(action: DecisionAction, text: number, show: string, wasHidden: boolean) {
        if (action !== "remove-note") decided.add(text);
        if (action === "keep") {
          kept.add(text);
          hidden.delete(text);
          if (wasHidden) marked.delete(show);
        } else {
          hide(text, show);
          // A decision is about both: the text that was hidden first, and the one in its place.
          for (const bad of [text, marked.get(show) ?? text]) {
            kept.delete(bad);
            hidden.add(bad);
          }
          marked.set(show, text);
        }
      },
      forgetReports: () => decided.clear(),
    };
  }

  const newAuthor = async () => {
    const user_id = await givenUser(db);
    await givenIdentity(db, { user_id });
    return user_id;
  };

  async function check(history: Step[]): Promise<void> {
    await givenDeleted(db, "users");
    await givenNone(db, "deleted_reviews", "deleted_accounts", "text_verdicts");
    const model = createModel();
    let user_id = await newAuthor();
    const columns = ["show_id", "note_id", "notes", "hidden_rule", "removal"] as const;
    const read = async (show: string) =>
      (await storedRows(db, "reviews", columns)).find(({ show_id }) => show_id === show);
    const findOpen = async (at: string) => (await findOpenReports(db)).find(({ show }) => show.id === at);
    for (const { kind, show, text, vary } of history) {
      const before = await read(show);
      const written = before?.notes && before.removal === null ? textOf(before.notes) : null;
      const key = { showId: show, userId: user_id };
      if (kind === "write") {
        const review = {
          show_id: show,
          user_id,
          notes: vary(texts[text] ?? ""),
          audience_interaction: "yes",
        } as const;
        await run((trx) => writeReview(trx, review));
        await run((trx) => requeueHiddenNote(trx, key));
        const isHidden = (await read(show))?.hidden_rule !== null;
        if (before?.notes !== review.notes) expect(isHidden).toBe(model.isHidden(text, show));
        if (!isHidden) continue;
        if (!model.isDecided(text)) expect(await findOpen(show)).toBeDefined();
        model.hide(text, show);
      } else if (kind === "report" || kind === "flag") {
        if (written === null) continue;
        const reporterId = kind === "flag" ? null : await givenUser(db, { created_at: ago({ days: 2 }) });
        const complaint = {
          noteId: before?.note_id ?? "",
          reporterId,
          reason: "illegal",
          text: null,
        } as const;
        await run((trx) => insertReport(trx, complaint));
        if ((await read(show))?.hidden_rule) model.hide(written, show);
      } else if (kind === "delete") await run((trx) => deleteReview(trx, key));
      else if (kind === "return") {
        await deleteUser(db, user_id);
        user_id = await newAuthor();
        model.forgetReports();
      } else {
        const open = await findOpen(show);
        const decided = open && (await decideReport(db, { reportId: open.id, action: kind, reason: null }));
        if (decided && !("refused" in decided) && written !== null)
          model.decide(kind, written, show, before?.hidden_rule !== null);
      }
    }
  }

  test("none that was hidden is shown before it is kept, nor another one in its place", async () => {
    const histories = fc.array(step, { minLength: 5, maxLength: 40, size: "max" });
    await fc.assert(fc.asyncProperty(histories, untilTimeLimit(check)), fuzzRuns(12));
  });
});

/** Notes by new authors. Returns their ids. */
function givenNotes(count: number): Promise<string[]> {
  const reviews = Array.from({ length: count }, (_, index) => ({ notes: `Note ${index}` }));
  return givenReviews(db, reviews);
}

test("a reporter who deletes the account and returns keeps hidden notes and dismissals", async () => {
  const [as = expect.fail(), returned = expect.fail()] = reporters;
  await givenIdentity(db, { user_id: as.id, subject: "reporter" });
  const notes = await givenNotes(4);
  for (const note_id of notes.slice(0, 3)) await report({ note_id, reason: "illegal" }, { as });
  await deleteUser(db, as.id);
  expect((await findOpenReports(db))[0]?.reporters).toEqual({ signed_in: 1, anonymous: 0 });
  await decide("keep");
  await givenIdentity(db, { user_id: returned.id, subject: "reporter" });
  await decide("keep");
  const users = await storedRows(db, "users", ["id", "dismissed_reports"]);
  expect(users).toContainEqual({ id: returned.id, dismissed_reports: 2 });
  await givenChanged(db, "users", { dismissed_reports: 0 });
  const hides = async (note_id = "") => {
    await report({ note_id, reason: "illegal" }, { as: returned });
    return (await hiding()).filter((rule) => rule !== null).length;
  };
  expect([await hides(noteId), await hides(notes[3])]).toEqual([2, 3]);
  expect((await report({ note_id: notes[2] }, { as: returned })).status).toBe(201);
});

test("keep dismisses the reports of this text, not of an earlier one (docs/product.md §13.12)", async () => {
  const [earlier = expect.fail(), later = expect.fail()] = reporters;
  await reported("fake", { as: earlier });
  noteId = await rewrite("Nobody was asked.");
  await reported("fake", { as: later });
  await decide("keep");
  const dismissed = (await storedRows(db, "users", ["id", "dismissed_reports"])).filter(
    (user) => user.dismissed_reports > 0,
  );
  expect(dismissed).toEqual([{ id: later.id, dismissed_reports: 1 }]);
});

test("the operator is notified again of a changed note, and of the first signed-in reporter", async () => {
  await reported("illegal", { as: reporters[2] });
  await givenChanged(db, "reports", { announced: "report", announced_note: noteId });
  await givenNoJobs(db);
  await rewrite("Names my brother.");
  expect(await waitingJob(db, "notify-operator")).toBeDefined();
  await decide("keep");
  noteId = await rewrite("Names my aunt.");
  await givenDeleted(db, "reports");
  const announced = async () => (await storedRows(db, "reports", ["announced"])).map((row) => row.announced);
  await reported("illegal");
  for (const [index, after] of [null, "report"].entries()) {
    await givenChanged(db, "reports", { announced: "report" });
    await reported("off_topic", { as: reporters[index] });
    expect(await announced()).toEqual([after]);
  }
});

test("one reporter hides three undecided notes, and another one after a decision", async () => {
  const as = reporters[0];
  const notes = await givenNotes(5);
  const hiddenBy = async (note_id: string | undefined) => {
    expect((await report({ note_id, reason: "illegal" }, { as, server: second })).status).toBe(201);
    const rows = await storedRows(db, "reviews", ["note_id", "hidden_rule"]);
    return rows.find((row) => row.note_id === note_id)?.hidden_rule === "illegal";
  };
  const hidden = await Promise.all(notes.slice(0, 4).map(hiddenBy));
  expect(hidden.filter(Boolean)).toHaveLength(3);
  expect(await queue()).toMatchObject(Array(4).fill({ rule: "illegal" }));
  const [first] = await findOpenReports(db);
  const ofFirst = sql`note_id = ${first?.review?.note_id}`;
  await db.transaction().execute((trx) => deleteReviews(trx, ofFirst));
  expect(await hiddenBy((await givenNotes(1))[0])).toBe(false);
  await decide("hide");
  expect(await hiddenBy(notes[4])).toBe(true);
  expect(await hiddenBy(noteId)).toBe(false);
});

test("a user's reports wait for each other, so that none counts too few", async () => {
  const as = reporters[0] ?? expect.fail();
  const holding = await db.startTransaction().execute();
  await holding.selectFrom("users").select("id").where("id", "=", as.id).forNoKeyUpdate().execute();
  const waiting = report({ reason: "illegal" }, { as });
  await expect.poll(() => countLockWaiters(db)).toBe(1);
  await holding.commit().execute();
  expect((await waiting).status).toBe(201);
});

test("a user may report thirty notes a day, from any network, also with a new account", async () => {
  const [as = expect.fail(), other, returned = expect.fail()] = reporters;
  const report_id = await givenReport(db, { author_id: author.id });
  for (let n = 0; n < 30; n++) {
    const row = { report_id, note_id: crypto.randomUUID(), reporter_id: as.id };
    await givenReportReason(db, { ...row, at: ago({ hours: n === 0 ? 23 : 2 }) });
  }
  for (const server of [site, second]) {
    const refused = await report({}, { as, server });
    expect(Math.ceil(Number(refused.headers.get("Retry-After")) / 60)).toBe(60);
    expect(await errorOf(refused)).toEqual([429, "rate_limited"]);
  }
  await reported("fake", { as: other });
  await givenIdentity(db, { user_id: as.id, subject: "reporter" });
  await deleteUser(db, as.id);
  await givenIdentity(db, { user_id: returned.id, subject: "reporter" });
  expect((await report({}, { as: returned })).status).toBe(429);
  await givenEarlier(db, "report_reasons", ["at"], { hours: 1, minutes: 1 }, { reporter_id: returned.id });
  await reported("fake", { as: returned });
});

test("reporters who may not hide do not count towards the reasons of others", async () => {
  const [young = expect.fail(), quarantined = expect.fail(), other = expect.fail()] = reporters;
  await givenChanged(db, "users", { created_at: new Date() }, { id: young.id });
  await reported("illegal", { as: young });
  await givenEarlier(db, "users", ["created_at"], { days: 2 }, { id: young.id });
  await givenChanged(db, "users", { quarantined_at: new Date() }, { id: quarantined.id });
  for (const [as, effect] of [
    [quarantined, "queued"],
    [other, "hidden"],
  ] as const) {
    await reported("fake", { as });
    await expect
      .poll(() => securityEvents(site, as.id).at(-1))
      .toMatchObject({ event: "note_reported", effect });
    expect(await queue()).toMatchObject([{ hidden: effect === "hidden" }]);
  }
});

test("malformed bodies and tokens are refused", async () => {
  const tooLong = { text: "x".repeat(301) };
  for (const body of [{ note_id: "x" }, { reason: "boring" }, tooLong, { text: 5 }])
    expect(await errorOf(await report(body))).toEqual([400, "invalid_report"]);
  const stranger = { ...author, token: "e30.e30.x" };
  expect(await errorOf(await report({}, { as: stranger }))).toEqual([401, "authentication_required"]);
  expect((await report({ text: "x".repeat(10_000) })).status).toBe(413);
  expect((await site.api("/api/reports")).status).toBe(405);
  const withoutKey = await fetch(`${site.origin}/api/reports`, { method: "POST", body: "{}" });
  expect(await errorOf(withoutKey)).toEqual([401, "invalid_client_key"]);
  expect(await queue()).toEqual([]);
  expect((await report({ text: `  ${"x".repeat(300)}\n` })).status).toBe(201);
});

test("details lose control characters, with and without scripts, and count once they are clean", async () => {
  const clean = "x".repeat(297);
  expect((await report({ text: `a\u2028b\u0007${clean}\0\0\0` })).status).toBe(201);
  const form = { note_id: noteId, reason: "fake", text: `a\r\nb${clean}\u007f` };
  expect(await sendForm(form)).toContain("report=sent");
  const stored = await storedRows(db, "report_reasons", ["text"]);
  expect(stored).toEqual(Array(2).fill({ text: `a\nb${clean}` }));
});

test("a network may report twenty notes in ten minutes", async () => {
  const client = nextClient();
  for (let n = 0; n < 20; n++) expect((await report({ reason: "?" }, { client })).status).toBe(400);
  const refused = await report({}, { client });
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await errorOf(refused)).toEqual([429, "network_rate_limited"]);
  expect((await report({})).status).toBe(201);
});

/** The page of the show. */
const readPage = async ({ origin }: Site) => (await fetch(`${origin}/?show=${SHOW}`)).text();

/** Sends the form of a page without scripts. Returns the address that it leads to. */
async function sendForm(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${site.origin}/api/reports?show=${SHOW}`, {
    method: "POST",
    headers: { "X-Forwarded-For": nextClient(), ...headers },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  expect(response.status).toBe(303);
  return response.headers.get("Location") ?? "";
}

test("without scripts the page of a show has a form for each note, and shows the outcome", async () => {
  // The list may follow the notes by a moment.
  await expect.poll(() => readPage(site)).toContain(`action="/api/reports?show=${SHOW}"`);
  const page = await readPage(site);
  expect(page).toContain(`<input type="hidden" name="note_id" value="${noteId}"/>`);
  expect(page).not.toContain("A person will look at it.");
  const fields = { note_id: noteId, reason: "fake", text: "" };
  const sent = await sendForm(fields, { Origin: site.origin, "Sec-Fetch-Site": "same-origin" });
  expect(sent).toBe(`/?show=${SHOW}&report=sent`);
  expect(await (await fetch(site.origin + sent)).text()).toContain("Thank you. A person will look at it.");
  expect(await queue()).toEqual([{ rule: "off_topic", anonymous: 1, hidden: false, reasons: 1 }]);
  expect(await sendForm({ note_id: noteId })).toBe(`/?show=${SHOW}&report=invalid`);
  expect(await sendForm({ ...fields, note_id: crypto.randomUUID() })).toBe(`/?show=${SHOW}&report=gone`);
  for (const [name, value] of [
    ["Sec-Fetch-Site", "same-site"],
    ["Origin", "https://elsewhere.example"],
  ] as const)
    expect(await sendForm(fields, { "Sec-Fetch-Dest": "document", [name]: value })).toBe(
      `/?show=${SHOW}&report=failed`,
    );
  const odd = await (await fetch(`${site.origin}/?show=${SHOW}&report=%3Cb%3E`)).text();
  expect(odd).not.toContain("<b>");
  expect(await queue()).toHaveLength(1);
});
