import { sql } from "kysely";
import { vi } from "vitest";
import type { Db } from "../../src/database/schema.server.ts";

export async function pendingJobs(db: Db) {
  const all = sql<{ attempts: number }>`
    select * from graphile_worker._private_jobs where attempts < max_attempts`;
  return (await all.execute(db)).rows;
}

/** Waits until this many instances have stored their crontabs and listen for jobs. */
export async function untilListening(db: Db, instances = 1): Promise<void> {
  const listening = sql`select from graphile_worker._private_known_crontabs, pg_stat_activity
    where identifier = 'refresh-shows' and application_name = 'front-row-jobs'
      and datname = current_database() and query ilike 'listen%' and state = 'idle'`;
  const polling = { timeout: 70_000, interval: 20 };
  await vi.waitUntil(async () => (await listening.execute(db)).rows.length >= instances, polling);
}

export async function makeJobsDue(db: Db): Promise<false> {
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await sql`select pg_notify('jobs:insert', '{"count":1}')`.execute(db);
  return false;
}

export async function givenNoJobs(db: Db): Promise<void> {
  await sql`delete from graphile_worker._private_jobs`.execute(db);
}

export async function waitingJob(db: Db, key: string) {
  const { rows } = await sql<{ attempts: number; max_attempts: number; wait: number }>`
    select attempts, max_attempts, round(extract(epoch from run_at - now()))::integer as wait
    from graphile_worker.jobs where key = ${key} and locked_at is null`.execute(db);
  return rows[0];
}
