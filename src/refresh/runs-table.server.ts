import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";

type Refresh = Schema["refreshes"];

export type RefreshResult = Pick<Refresh, "outcome"> &
  Partial<Pick<Refresh, "listed" | "added" | "changed" | "removed" | "returned" | "skipped" | "error">>;

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

/** Call it only under the lock: it marks unfinished runs as interrupted. */
export async function startRefresh(db: Kysely<Schema>): Promise<string> {
  await db
    .updateTable("refreshes")
    .set({ outcome: "interrupted", finished_at: sql`now()`, error: "It ended without a word." })
    .where("finished_at", "is", null)
    .execute();
  const { id } = await db.insertInto("refreshes").defaultValues().returning("id").executeTakeFirstOrThrow();
  return id;
}

export async function finishRefresh(db: Kysely<Schema>, id: string, result: RefreshResult): Promise<void> {
  await db
    .updateTable("refreshes")
    .set({ ...result, finished_at: sql`clock_timestamp()` })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
}

export async function hasSucceededSince(db: Kysely<Schema>, since: string): Promise<boolean> {
  const success = await db
    .selectFrom("refreshes")
    .select("id")
    .where("outcome", "=", "succeeded")
    .where("finished_at", ">=", new Date(since))
    .executeTakeFirst();
  return success !== undefined;
}

/** Since when (ISO 8601) a success is missing: `hours`, or a failure. A refused run needs the operator. */
export async function findOverdue(db: Kysely<Schema>, hours: number): Promise<string | null> {
  const { rows } = await sql<{ since: Date }>`
    with last as (
      select greatest(now() - make_interval(hours => ${hours}), max(started_at)) as since
      from refreshes where outcome is null or outcome in ('failed', 'interrupted')
    )
    select since from last
    where not exists (select from refreshes where outcome = 'succeeded' and finished_at >= since)`.execute(
    db,
  );
  return rows[0]?.since.toISOString() ?? null;
}
