import { sql } from "kysely";
import { type Db, isoTime, type Schema } from "../database/schema.server.ts";
import { YEAR } from "../domain/programme.ts";

type Refresh = Schema["refreshes"];

export type RefreshResult = Pick<Refresh, "outcome"> &
  Partial<
    Pick<Refresh, "listed" | "added" | "changed" | "removed" | "returned" | "skipped" | "gap" | "error">
  >;

/** Null if another refresh runs. */
export async function whileLocked<T>(connection: Db, run: () => Promise<T>): Promise<T | null> {
  const key = sql`hashtextextended('front-row refresh', 0)`;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(${key}) as locked`.execute(connection);
  if (!rows[0]?.locked) return null;
  // Unlocking fails only if the session has ended, which releases the lock as well.
  return run().finally(() => sql`select pg_advisory_unlock(${key})`.execute(connection).catch(() => {}));
}

/** Must be called under the lock: it marks unfinished runs as interrupted. */
export async function startRefresh(db: Db): Promise<string> {
  await db
    .updateTable("refreshes")
    .set({ outcome: "interrupted", finished_at: sql`now()`, error: "The process ended during it." })
    .where("finished_at", "is", null)
    .execute();
  const { id } = await db.insertInto("refreshes").defaultValues().returning("id").executeTakeFirstOrThrow();
  return id;
}

export async function finishRefresh(db: Db, id: string, result: RefreshResult): Promise<void> {
  await db
    .updateTable("refreshes")
    .set({ ...result, finished_at: sql`clock_timestamp()` })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
}

/** A success was for an earlier year if all listed shows are. */
const wasOfThisYear = sql<boolean>`not exists (select from shows where listed having max(year) < ${YEAR})`;

export async function hasSucceededSince(db: Db, since: string): Promise<boolean> {
  const { rows } = await sql`
    select from refreshes where outcome = 'succeeded' and finished_at >= ${since}
      and ${wasOfThisYear} limit 1`.execute(db);
  return rows.length > 0;
}

/** The time (ISO 8601) since which a success is missing, or null. A refused run waits for the operator. */
export async function findOverdue(db: Db, hours: number): Promise<string | null> {
  const { rows } = await sql<{ since: string }>`
    select ${isoTime(sql`greatest(now() - make_interval(hours => ${hours}), max(started_at))`)} as since
    from refreshes where outcome is null or outcome in ('failed', 'interrupted')`.execute(db);
  const { since = "" } = rows[0] ?? {};
  return (await hasSucceededSince(db, since)) ? null : since;
}

export async function countGaps(db: Db): Promise<number> {
  const { rows } = await sql<{ gaps: number }>`
    select count(*)::int as gaps from refreshes where gap > 0`.execute(db);
  return rows[0]?.gaps ?? 0;
}

export interface Refreshes {
  last_refresh: { finished_at: string; outcome: string } | null;
  /** Counts only refreshes for the festival year. */
  last_success_at: string | null;
}

export async function findRefreshes(db: Db): Promise<Refreshes> {
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
