import { sql, type Updateable } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Schema, Trx } from "../../database/schema.server.ts";

export interface ReviewKey {
  showId: string;
  userId: string;
}

/** A review that the transaction has locked. Removed notes and removed reviews are missing. */
export interface LockedReview {
  /** Null without notes. */
  noteId: string | null;
  noteHash: Buffer | null;
  hiddenAt: Date | null;
  hiddenHash: Buffer | null;
}

export async function lockReview(trx: Trx, { showId, userId }: ReviewKey): Promise<LockedReview | null> {
  const { rows } = await sql<LockedReview>`
    select case when notes is not null then note_id end as "noteId", note_hash(notes) as "noteHash",
      hidden_at as "hiddenAt", hidden_hash as "hiddenHash"
    from present_reviews where show_id = ${showId} and user_id = ${userId} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Returns false if the review was removed at another time, or has other notes now. */
export async function markReview(
  trx: Trx,
  { showId, userId }: ReviewKey,
  marks: Updateable<Schema["reviews"]>,
  { removedAt = null, noteHash = null }: { removedAt?: Date | null; noteHash?: Buffer | null } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("reviews")
    .set(marks)
    .where("show_id", "=", showId)
    .where("user_id", "=", userId)
    .where(sql`date_trunc('milliseconds', removed_at)`, "is not distinct from", removedAt)
    .where(sql<boolean>`(${noteHash}::bytea is null or note_hash(notes) = ${noteHash})`)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** In days (docs/product.md §13.11). */
const REMOVED_DAYS = 30;

/** Deletes removed texts after `REMOVED_DAYS`, and the marks that hide their authors' new texts. */
export function purgeRemoved(db: Db): Promise<void> {
  const isOld = sql`hidden_rule is not null and removed_at < now() - make_interval(days => ${REMOVED_DAYS})`;
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockUsers(trx, sql`id in (select user_id from reviews where ${isOld})`);
    await sql`delete from reviews where removal = 'review' and ${isOld}`.execute(trx);
    await sql`
      update reviews set notes = null, hidden_rule = null, removal = null
      where ${isOld}`.execute(trx);
  });
}

/** Includes a user's reviews in the tallies, or excludes them. Returns their number. */
export async function setCounted(trx: Trx, userId: string, counted: boolean): Promise<number> {
  const update = sql`
    update reviews set counted = ${counted} and removal is distinct from 'review' where user_id = ${userId}`;
  return Number((await update.execute(trx)).numAffectedRows);
}
