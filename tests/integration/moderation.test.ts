import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { type DecisionAction, decideReport } from "../../src/reviews/moderation/decisions.server.ts";
import { type AccountsSite, type SessionResponse, signIn, startAccountsSite } from "../support/accounts.ts";
import { auditRows, readTallies, runAdmin } from "../support/admin.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh } from "../support/site.ts";

let database: Database;
let accountsSite: AccountsSite;
let wren: SessionResponse;
let pip: SessionResponse;

beforeAll(async () => {
  database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  await sql`insert into shows (id, title, year, status, listed)
    select 'show-' || n, 'Show ' || n, 2025, 'active', true from generate_series(1, 4) n`.execute(
    database.db,
  );
  accountsSite = await startAccountsSite(database.url);
  wren = await signIn(accountsSite.site.origin, "google", { email: "wren@people.example" });
  pip = await signIn(accountsSite.site.origin, "github", { email: "pip@people.example" });
});
afterAll(async () => {
  await accountsSite.close();
  await database.close();
});
beforeEach(async () => {
  await sql`truncate reports, report_reasons, decisions, moderation_counts, audit, review_closures`.execute(
    database.db,
  );
  await sql`delete from reviews`.execute(database.db);
  await sql`delete from review_limits`.execute(database.db);
  await sql`update users set dismissed_reports = 0, banned_at = null`.execute(database.db);
});

const admin = (...args: string[]) => runAdmin(database, args);

/** Stores a review by Wren. */
async function addReview(notes: string | null, show = "show-1"): Promise<void> {
  await sql`
    insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    values (${show}, ${wren.user.id}, 'yes', ${notes}, '2025-08-02T10:00:00Z')`.execute(database.db);
}

/** Pip has reported Wren's note, which is hidden since. Returns the report's id. */
async function addReport(rule = "personal_data", show = "show-1"): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with hidden as (
      update reviews set hidden_rule = ${rule} where show_id = ${show} and user_id = ${wren.user.id} returning note_id
    ), report as (
      insert into reports (show_id, author_id, note_id, rule, hidden_at, anonymous_count)
      select ${show}, ${wren.user.id}, note_id, ${rule}, now(), 2 from hidden returning id, note_id
    )
    insert into report_reasons (report_id, note_id, reporter_id, reason, text)
    select id, note_id, ${pip.user.id}, ${rule}, 'It names me.' from report returning report_id as id`.execute(
    database.db,
  );
  if (!rows[0]) throw new Error("There is no review to report");
  return rows[0].id;
}

/** Review, report, ban, dismissals and counts: all that decisions change. */
async function readState() {
  const { rows } = await sql<object>`
    select
      (select json_agg(json_build_object('notes', notes, 'hidden', hidden_rule, 'note_id', note_id, 'at', created_at))
        from reviews) as reviews,
      (select json_agg(json_build_object('hidden', hidden_at is not null, 'open', decided_at is null)) from reports) as reports,
      (select banned_at is not null from users where id = ${wren.user.id}) as banned,
      (select dismissed_reports from users where id = ${pip.user.id}) as dismissed,
      (select sum(count)::integer from moderation_counts) as counted`.execute(database.db);
  return rows[0];
}

const note = { notes: "Ada from row 3 was picked.", hidden: null };

describe.each<{ action: DecisionAction; decided: object }>([
  { action: "keep", decided: { reviews: [note], reports: [{ hidden: false, open: false }], dismissed: 1 } },
  {
    action: "hide",
    decided: { reviews: [{ ...note, hidden: "personal_data" }], reports: [{ hidden: true, open: false }] },
  },
  {
    action: "remove-note",
    decided: { reviews: [{ notes: null, hidden: null }], reports: [{ hidden: false, open: false }] },
  },
  { action: "remove-review", decided: { reviews: null, reports: [{ hidden: false, open: false }] } },
  {
    action: "ban",
    decided: {
      reviews: [{ ...note, hidden: "personal_data" }],
      reports: [{ hidden: true, open: false }],
      banned: true,
    },
  },
])("the decision $action", ({ action, decided }) => {
  test("is done, counted and audited, and undone", async () => {
    await addReview(note.notes);
    const id = await addReport();
    const before = await readState();
    const { exit, out } = await admin("decide", id, action, "--reason", "A private person is named.");
    expect(exit).toBe(0);
    expect(await readState()).toMatchObject({ banned: false, dismissed: 0, counted: 1, ...decided });
    const decisionId = /undo (\d+)/.exec(out)?.[1] ?? "";
    expect(await admin("undo", decisionId)).toMatchObject({ exit: 0, err: "" });
    expect(await readState()).toEqual({ ...before, counted: 0 });
    const details = { report_id: id, decision_id: decisionId, decision: action, show_id: "show-1" };
    const entry = { ...details, user_id: wren.user.id };
    expect(await auditRows(database.db)).toEqual([
      { action: "decide-report", details: entry },
      { action: "undo-decision", details: entry },
    ]);
    const { tallies, recounted } = await readTallies(database.db);
    expect(tallies).toEqual(recounted);
    expect(await admin("undo", decisionId)).toMatchObject({ exit: 1 });
  });
});

test("of operators who decide at once, one does", async () => {
  await addReview(note.notes);
  const reportId = await addReport();
  const decide = (action: DecisionAction) => decideReport(database.db, { reportId, action, reason: null });
  const results = await Promise.all([decide("hide"), decide("keep"), decide("remove-review"), decide("ban")]);
  expect(results.filter((result) => result === "already_decided")).toHaveLength(3);
  expect(results).toContainEqual({ decisionId: expect.any(String) });
});
