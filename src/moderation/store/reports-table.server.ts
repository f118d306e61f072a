import { sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../domain/report.ts";
import { announce } from "../messages/announcements.server.ts";

/** What somebody reports of a note. */
export interface Report {
  noteId: string;
  /** Null for who is not signed in. */
  reporterId: string | null;
  reason: ReportReason;
  /** Cleaned (`cleanNotes`). */
  text: string | null;
}

/** A report that the operator has not decided yet. */
interface OpenReport {
  id: string;
  rule: ReportReason;
  isNew: boolean;
}

/** The most reports by people who are not signed in of which reason and text are kept. */
const ANONYMOUS_KEPT = 20;

/** So many signed-in reporters hide a note… */
const REPORTERS_TO_HIDE = 3;

/** … and one is enough with these reasons. */
const urgentReasons: readonly ReportReason[] = ["personal_data", "illegal"];

/** From this many dismissed reports on, a user's reports hide nothing. */
const DISMISSED_TO_DISTRUST = 3;

/**
 * Stores a report and, if enough people have reported the note, hides it (docs/product.md §13.3). A user's
 * second report of a note and one of an own note change nothing. Locks the note's author, then the report,
 * then the review, as decisions do.
 */
export async function insertReport(
  trx: Transaction<Schema>,
  report: Report,
): Promise<"reported" | "note_not_found"> {
  const { noteId, reporterId } = report;
  if (reporterId !== null && (await hasReported(trx, noteId, reporterId))) return "reported";
  const authorId = await lockAuthor(trx, noteId);
  const showId = authorId && (await findShowOfNote(trx, noteId));
  if (!authorId || !showId) return "note_not_found";
  if (authorId === reporterId) return "reported";
  const open = await openReport(trx, { showId, authorId, ...report });
  await (reporterId === null ? addAnonymous(trx, open.id, report) : insertReason(trx, open.id, report));
  if (reporterId !== null && (await isHiding(trx, open.id, noteId))) await hideNote(trx, open, noteId);
  if (open.isNew) await announce(trx);
  return "reported";
}

async function hasReported(trx: Transaction<Schema>, noteId: string, reporterId: string): Promise<boolean> {
  const reasons = trx
    .selectFrom("report_reasons")
    .select("id")
    .where("note_id", "=", noteId)
    .where("reporter_id", "=", reporterId);
  return (await reasons.executeTakeFirst()) !== undefined;
}

async function lockAuthor(trx: Transaction<Schema>, noteId: string): Promise<string | undefined> {
  const [author] = await lockUsers(trx, sql`id = (select user_id from reviews where note_id = ${noteId})`);
  return author?.id;
}

/** The show of a note that others see; undefined if there is no such note. */
async function findShowOfNote(trx: Transaction<Schema>, noteId: string): Promise<string | undefined> {
  const reviews = trx
    .selectFrom("reviews")
    .select("show_id")
    .where("note_id", "=", noteId)
    .where("notes", "is not", null)
    .where("counted", "=", true)
    .where("hidden_rule", "is", null);
  return (await reviews.executeTakeFirst())?.show_id;
}

/**
 * The report that the operator will decide on, with the gravest reason so far: the open one of the review, or
 * a new one.
 */
async function openReport(
  trx: Transaction<Schema>,
  { showId, authorId, noteId, reason }: Report & { showId: string; authorId: string },
): Promise<OpenReport> {
  const open = await trx
    .selectFrom("reports")
    .select(["id", "rule"])
    .where("author_id", "=", authorId)
    .where("show_id", "=", showId)
    .where("decided_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (!open) {
    const row = { show_id: showId, author_id: authorId, note_id: noteId, rule: reason };
    const { id } = await trx.insertInto("reports").values(row).returning("id").executeTakeFirstOrThrow();
    return { id, rule: reason, isNew: true };
  }
  if (reportReasons.indexOf(reason) >= reportReasons.indexOf(open.rule)) return { ...open, isNew: false };
  await trx.updateTable("reports").set({ rule: reason }).where("id", "=", open.id).execute();
  return { ...open, rule: reason, isNew: false };
}

async function addAnonymous(trx: Transaction<Schema>, id: string, report: Report): Promise<void> {
  const { anonymous_count: count } = await trx
    .updateTable("reports")
    .set((of) => ({ anonymous_count: of("anonymous_count", "+", 1) }))
    .where("id", "=", id)
    .returning("anonymous_count")
    .executeTakeFirstOrThrow();
  if (count <= ANONYMOUS_KEPT) await insertReason(trx, id, report);
}

async function insertReason(trx: Transaction<Schema>, id: string, report: Report): Promise<void> {
  const { noteId, reporterId, reason, text } = report;
  await trx
    .insertInto("report_reasons")
    .values({ report_id: id, note_id: noteId, reporter_id: reporterId, reason, text })
    // The same report may come twice at the same time.
    .onConflict((conflict) => conflict.columns(["reporter_id", "note_id"]).doNothing())
    .execute();
}

/**
 * Whether those who reported the note are enough to hide it: not those whose reports were dismissed too
 * often, and neither banned nor quarantined users.
 */
async function isHiding(trx: Transaction<Schema>, id: string, noteId: string): Promise<boolean> {
  const reasons = await trx
    .selectFrom("report_reasons")
    .innerJoin("users", "users.id", "report_reasons.reporter_id")
    .select("reason")
    .where("report_id", "=", id)
    .where("note_id", "=", noteId)
    .where("dismissed_reports", "<", DISMISSED_TO_DISTRUST)
    .where("banned_at", "is", null)
    .where("quarantined_at", "is", null)
    .execute();
  return reasons.length >= REPORTERS_TO_HIDE || reasons.some(({ reason }) => urgentReasons.includes(reason));
}

async function hideNote(trx: Transaction<Schema>, { id, rule }: OpenReport, noteId: string): Promise<void> {
  await sql`update reports set hidden_at = now() where id = ${id}`.execute(trx);
  await sql`update reviews set hidden_rule = ${rule} where note_id = ${noteId}`.execute(trx);
}
