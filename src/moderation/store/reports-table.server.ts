import { sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../domain/report.ts";
import { hideNotes, type ReviewKey } from "../../reviews/store/moderate-review.server.ts";
import { announce } from "../messages/announcements.server.ts";

type Trx = Transaction<Schema>;

export interface Report {
  noteId: string;
  /** Null for who is not signed in. */
  reporterId: string | null;
  reason: ReportReason;
  /** Cleaned (`cleanNotes`). */
  text: string | null;
}

/** Reports by visitors who are not signed in of which reason and text are kept. */
const ANONYMOUS_KEPT = 20;

const REPORTERS_TO_HIDE = 3;

/** One reporter is enough with these reasons. */
const urgentReasons: readonly ReportReason[] = ["personal_data", "illegal"];

/** From this many dismissed reports on, a user's reports hide nothing. */
const DISMISSED_TO_DISTRUST = 3;

/**
 * Stores a report and, if enough people have reported the note, hides it (docs/product.md §13.3). Locks the
 * note's author, then the report, then the review, as decisions do.
 */
export async function insertReport(trx: Trx, report: Report): Promise<"reported" | "note_not_found"> {
  const { noteId, reporterId } = report;
  if (reporterId !== null && (await hasReported(trx, noteId, reporterId))) return "reported";
  await lockUsers(trx, sql`id = (select user_id from reviews where note_id = ${noteId})`);
  const note = await findNote(trx, noteId);
  if (!note) return "note_not_found";
  if (note.userId === reporterId) return "reported";
  const { id, rule, isNew } = await openReport(trx, note, report);
  await (reporterId === null ? addAnonymous(trx, id, report) : insertReason(trx, id, report));
  if (reporterId !== null && (await isHiding(trx, id, noteId))) {
    await sql`update reports set hidden_at = now() where id = ${id}`.execute(trx);
    await hideNotes(trx, note, rule);
  }
  if (isNew) await announce(trx);
  return "reported";
}

async function hasReported(trx: Trx, noteId: string, reporterId: string): Promise<boolean> {
  const { rows } = await sql`
    select from report_reasons where note_id = ${noteId} and reporter_id = ${reporterId}`.execute(trx);
  return rows.length > 0;
}

/** Undefined unless others see the note. */
async function findNote(trx: Trx, noteId: string): Promise<ReviewKey | undefined> {
  const { rows } = await sql<ReviewKey>`
    select show_id as "showId", user_id as "userId" from reviews
    where note_id = ${noteId} and notes is not null and counted and hidden_rule is null`.execute(trx);
  return rows[0];
}

/** The open report of the review, or a new one, with the gravest reason so far. */
async function openReport(trx: Trx, { showId, userId }: ReviewKey, { noteId, reason }: Report) {
  const { rows } = await sql<{ id: string; rule: ReportReason }>`
    select id, rule from reports
    where author_id = ${userId} and show_id = ${showId} and decided_at is null for update`.execute(trx);
  const [open] = rows;
  if (!open) {
    const row = { show_id: showId, author_id: userId, note_id: noteId, rule: reason };
    const { id } = await trx.insertInto("reports").values(row).returning("id").executeTakeFirstOrThrow();
    return { id, rule: reason, isNew: true };
  }
  if (reportReasons.indexOf(reason) >= reportReasons.indexOf(open.rule)) return { ...open, isNew: false };
  await sql`update reports set rule = ${reason} where id = ${open.id}`.execute(trx);
  return { ...open, rule: reason, isNew: false };
}

async function addAnonymous(trx: Trx, id: string, report: Report): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    update reports set anonymous_count = anonymous_count + 1 where id = ${id}
    returning anonymous_count as count`.execute(trx);
  if ((rows[0]?.count ?? 0) <= ANONYMOUS_KEPT) await insertReason(trx, id, report);
}

/** The same report may come twice at the same time. */
async function insertReason(trx: Trx, id: string, { noteId, reporterId, reason, text }: Report) {
  await sql`
    insert into report_reasons (report_id, note_id, reporter_id, reason, text)
    values (${id}, ${noteId}, ${reporterId}, ${reason}, ${text})
    on conflict (reporter_id, note_id) do nothing`.execute(trx);
}

/** Banned, quarantined and distrusted reporters do not count. */
async function isHiding(trx: Trx, id: string, noteId: string): Promise<boolean> {
  const { rows } = await sql<{ reason: ReportReason }>`
    select reason from report_reasons join users on users.id = reporter_id
    where report_id = ${id} and note_id = ${noteId} and dismissed_reports < ${DISMISSED_TO_DISTRUST}
      and banned_at is null and quarantined_at is null`.execute(trx);
  return rows.length >= REPORTERS_TO_HIDE || rows.some(({ reason }) => urgentReasons.includes(reason));
}
