import { type Selectable, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { ReportReason } from "../../domain/report.ts";

type Trx = Transaction<Schema>;

/** Identifies a review: there is one of each user and show. */
export interface ReviewKey {
  showId: string;
  userId: string;
}

/** A review in a transaction that has locked it. */
export type LockedReview = Pick<
  Selectable<Schema["reviews"]>,
  "audience_interaction" | "notes" | "note_id" | "created_at" | "moved_by" | "hidden_rule"
>;

export async function lockReview(trx: Trx, key: ReviewKey): Promise<LockedReview | null> {
  const { rows } = await sql<LockedReview>`
    select audience_interaction, notes, note_id, created_at, moved_by, hidden_rule from reviews
    where ${isOf(key)} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Returns whether there was one. */
export async function deleteLockedReview(trx: Trx, key: ReviewKey): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from reviews where ${isOf(key)}`.execute(trx);
  return numAffectedRows === 1n;
}

export async function deleteLockedNotes(trx: Trx, key: ReviewKey): Promise<void> {
  await sql`update reviews set notes = null where ${isOf(key)}`.execute(trx);
}

/** Hides the notes of a review; shows them if `rule` is null. */
export async function hideNotes(trx: Trx, key: ReviewKey, rule: ReportReason | null): Promise<void> {
  await sql`update reviews set hidden_rule = ${rule} where ${isOf(key)}`.execute(trx);
}

/** Restores a removed review. Returns false if its author has written another one. */
export async function restoreReview(trx: Trx, key: ReviewKey, review: LockedReview): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("reviews")
    .values({ show_id: key.showId, user_id: key.userId, ...review })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Restores removed notes. Returns false if their author has changed the review. */
export async function restoreNotes(trx: Trx, key: ReviewKey, review: LockedReview): Promise<boolean> {
  const { notes, note_id, hidden_rule, audience_interaction, created_at } = review;
  const { numAffectedRows } = await sql`
    update reviews set notes = ${notes}, hidden_rule = ${hidden_rule}
    where ${isOf(key)} and notes is null and audience_interaction = ${audience_interaction}
      and created_at = ${created_at}`.execute(trx);
  if (numAffectedRows === 0n) return false;
  // Separately: a trigger gives notes that change a new id.
  await sql`update reviews set note_id = ${note_id} where ${isOf(key)}`.execute(trx);
  return true;
}

/** Lets a user's reviews count, or no longer. Returns how many there are. */
export async function setCounted(trx: Trx, userId: string, counted: boolean): Promise<number> {
  const update = sql`update reviews set counted = ${counted} where user_id = ${userId}`;
  return Number((await update.execute(trx)).numAffectedRows);
}

function isOf({ showId, userId }: ReviewKey) {
  return sql`show_id = ${showId} and user_id = ${userId}`;
}
