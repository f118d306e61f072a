import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";

type Refresh = Schema["refreshes"];

/** How a refresh ended, as it is recorded. Counts are there where it succeeded, a reason where it did not. */
export type RefreshResult = Pick<Refresh, "outcome"> &
  Partial<Pick<Refresh, "listed" | "added" | "changed" | "removed" | "returned" | "skipped" | "error">>;

/**
 * Takes the lock that lets one refresh run at a time, on the session of this connection: it is free again when released
 * or when the session ends, however that happens. False when another session holds it.
 */
export async function lockRefreshes(connection: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${lockKey}) as locked`.execute(
    connection,
  );
  return rows[0]?.locked ?? false;
}

export async function unlockRefreshes(connection: Kysely<Schema>): Promise<void> {
  await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
}

const lockKey = sql`hashtextextended('front-row refresh', 0)`;

/** Records that a refresh starts, and that unfinished ones before it were interrupted: only to be called under the lock. */
export async function startRefresh(db: Kysely<Schema>): Promise<string> {
  await db
    .updateTable("refreshes")
    .set({ outcome: "interrupted", finished_at: sql`now()`, error: "It ended without a word." })
    .where("finished_at", "is", null)
    .execute();
  const { id } = await db.insertInto("refreshes").defaultValues().returning("id").executeTakeFirstOrThrow();
  return id;
}

/** Records how a refresh ended, unless that was recorded before. */
export async function finishRefresh(db: Kysely<Schema>, id: string, result: RefreshResult): Promise<void> {
  await db
    .updateTable("refreshes")
    .set({ ...result, finished_at: sql`clock_timestamp()` })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
}

/** Whether a refresh has succeeded since a time (ISO 8601). */
export async function hasSucceededSince(db: Kysely<Schema>, since: string): Promise<boolean> {
  const success = await db
    .selectFrom("refreshes")
    .select("id")
    .where("outcome", "=", "succeeded")
    .where("finished_at", ">=", new Date(since))
    .executeTakeFirst();
  return success !== undefined;
}

/** Since when there should have been a refresh (ISO 8601), where none has even begun in the last `hours`; else null. */
export async function findForgotten(db: Kysely<Schema>, hours: number): Promise<string | null> {
  const { rows } = await sql<{ since: Date }>`
    with past as (select now() - make_interval(hours => ${hours}) as since)
    select since from past where not exists (select from refreshes where started_at >= since)`.execute(db);
  return rows[0]?.since.toISOString() ?? null;
}

/**
 * Since when a refresh is overdue (ISO 8601), or null: there was no success in the last `hours`, or a run in that time
 * broke off or failed, and no success has made up for it. A refused one needs a decision, not another try.
 */
export async function findOverdue(db: Kysely<Schema>, hours: number): Promise<string | null> {
  const { rows } = await sql<{ since: Date }>`
    with last as (
      select greatest(now() - make_interval(hours => ${hours}), max(started_at)) as since
      from refreshes where outcome is null or outcome in ('failed', 'interrupted')
    )
    select since from last
    where not exists (select from refreshes where outcome = 'succeeded' and finished_at >= since)`.execute(db);
  return rows[0]?.since.toISOString() ?? null;
}
