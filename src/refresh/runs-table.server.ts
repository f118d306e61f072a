import { type Kysely, sql } from "kysely";
import { isoTime } from "../database/query/column-types.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { YEAR } from "../domain/programme.ts";

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

/** Must be called under the lock: it marks unfinished runs as interrupted. */
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

/** A success was for an earlier year if all listed shows are. */
const wasOfThisYear = sql<boolean>`not exists (select from shows where listed having max(year) < ${YEAR})`;

export async function hasSucceededSince(db: Kysely<Schema>, since: string): Promise<boolean> {
  const { rows } = await sql`
    select from refreshes where outcome = 'succeeded' and finished_at >= ${since}
      and ${wasOfThisYear} limit 1`.execute(db);
  return rows.length > 0;
}

/** The time (ISO 8601) since which a success is missing, or null. A refused run waits for the operator. */
export async function findOverdue(db: Kysely<Schema>, hours: number): Promise<string | null> {
  const { rows } = await sql<{ since: string }>`
    select ${isoTime(sql`greatest(now() - make_interval(hours => ${hours}), max(started_at))`)} as since
    from refreshes where outcome is null or outcome in ('failed', 'interrupted')`.execute(db);
  const { since = "" } = rows[0] ?? {};
  return (await hasSucceededSince(db, since)) ? null : since;
}

export interface Refreshes {
  last_refresh: { finished_at: string; outcome: string } | null;
  /** Counts only refreshes for the festival year. */
  last_success_at: string | null;
}

export async function findRefreshes(db: Kysely<Schema>): Promise<Refreshes> {
  const finished = db
    .selectFrom("refreshes")
    .select(["finished_at", "outcome"])
    .where("finished_at", "is not", null);
  const newest = finished.orderBy("id", "desc").limit(1);
  const [last, success] = await Promise.all([
    newest.executeTakeFirst(),
    newest.where("outcome", "=", "succeeded").where(wasOfThisYear).executeTakeFirst(),
  ]);
  return {
    last_refresh:
      last?.finished_at && last.outcome
        ? { finished_at: last.finished_at.toISOString(), outcome: last.outcome }
        : null,
    last_success_at: success?.finished_at?.toISOString() ?? null,
  };
}
