import { type Kysely, sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";

type Trx = Transaction<Schema>;

/** Identifies a review: there is one of each user and show. */
export interface ReviewKey {
  showId: string;
  userId: string;
}

/** A review in a transaction that has locked it. Removed notes, and removed reviews, are not there. */
export interface LockedReview {
  /** Null without notes. */
  noteId: string | null;
  hiddenAt: Date | null;
}

export async function lockReview(trx: Trx, key: ReviewKey): Promise<LockedReview | null> {
  const { rows } = await sql<LockedReview>`
    select case when notes is not null then note_id end as "noteId", hidden_at as "hiddenAt"
    from present_reviews where ${isOf(key)} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Hides the notes of a review; shows them if `rule` is null. */
export async function hideNotes(trx: Trx, key: ReviewKey, rule: ReportReason | null): Promise<void> {
  await sql`update reviews set hidden_rule = ${rule} where ${isOf(key)}`.execute(trx);
}

interface Removal {
  part: "note" | "review";
  rule: ReportReason;
  /** Deletes the text of the notes at once. */
  forGood: boolean;
}

export async function markRemoved(trx: Trx, key: ReviewKey, { part, rule, forGood }: Removal): Promise<void> {
  await sql`
    update reviews set removal = ${part}, removed_at = now(), hidden_rule = ${rule},
      notes = case when not ${forGood} then notes end
    where ${isOf(key)}`.execute(trx);
}

interface Restoration {
  rule: ReportReason;
  hiddenAt: Date | null;
  /** When it was removed; null if it was not. */
  removedAt: Date | null;
  /** The notes that are concerned; null if there were none. */
  noteId: string | null;
}

/** Clears the marks of a decision. Returns false if its author has changed the review, or its text is purged. */
export async function restoreReview(trx: Trx, key: ReviewKey, before: Restoration): Promise<boolean> {
  const { rule, hiddenAt, removedAt, noteId } = before;
  const { numAffectedRows } = await sql`
    update reviews set removal = null, removed_at = null, hidden_at = ${hiddenAt},
      hidden_rule = case when ${hiddenAt}::timestamptz is not null then ${rule} end
    where ${isOf(key)} and date_trunc('milliseconds', removed_at) is not distinct from ${removedAt}
      and note_id = coalesce(${noteId}, note_id)`.execute(trx);
  return numAffectedRows === 1n;
}

/** How long removed texts are stored, in days (docs/product.md §13.11). */
const REMOVED_DAYS = 30;

/** Deletes removed texts whose time is over, and with them the marks that held back what their authors write. */
export function purgeRemoved(db: Kysely<Schema>): Promise<void> {
  const isOld = sql`removed_at < now() - make_interval(days => ${REMOVED_DAYS})`;
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockUsers(trx, sql`id in (select user_id from reviews where hidden_rule is not null and ${isOld})`);
    await sql`delete from reviews where removal = 'review' and ${isOld}`.execute(trx);
    await sql`
      update reviews set notes = null, hidden_rule = null, removed_at = null, removal = null
      where ${isOld}`.execute(trx);
  });
}

/** Deletes the row itself. Returns whether there was one. */
export async function deleteLockedReview(trx: Trx, key: ReviewKey): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from reviews where ${isOf(key)}`.execute(trx);
  return numAffectedRows === 1n;
}

export async function deleteLockedNotes(trx: Trx, key: ReviewKey): Promise<void> {
  await sql`update reviews set notes = null where ${isOf(key)}`.execute(trx);
}

/** Lets a user's reviews count, or no longer. Returns how many there are. */
export async function setCounted(trx: Trx, userId: string, counted: boolean): Promise<number> {
  const update = sql`
    update reviews set counted = ${counted} and removal is distinct from 'review' where user_id = ${userId}`;
  return Number((await update.execute(trx)).numAffectedRows);
}

function isOf({ showId, userId }: ReviewKey) {
  return sql`show_id = ${showId} and user_id = ${userId}`;
}
