import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";

/** Something that goes on in the site. */
export interface Change {
  /** Resolves, when it has ended, with how much of it there was. */
  stop(): Promise<number>;
}

/** Has the server refresh its shows again and again, as its timetable does; each time a tenth of them has changed. Answers how often. */
export function keepRefreshing(db: Kysely<Schema>): Change {
  let stopped = false;
  let refreshes = 0;
  const refreshing = (async () => {
    for (; !stopped; refreshes++) await refreshOnce(db);
  })();
  return {
    async stop() {
      stopped = true;
      await refreshing;
      return refreshes;
    },
  };
}

/** @throws Error when it does not succeed */
async function refreshOnce(db: Kysely<Schema>): Promise<void> {
  await sql`update shows set genre = genre || '.' where listed and hashtext(id) % 10 = 0`.execute(db);
  const { rows } = await sql<{ since: string }>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since`.execute(db);
  const since = rows[0]?.since ?? "";
  await sql`select graphile_worker.add_job('refresh-shows', json_build_object('since', ${since}::text),
    job_key => 'refresh-shows')`.execute(db);
  for (;;) {
    const ended = await sql<{ outcome: string }>`
      select outcome from refreshes where started_at >= ${since}::timestamptz and outcome is not null`.execute(db);
    const [refresh] = ended.rows;
    if (refresh?.outcome === "succeeded") return;
    if (refresh) throw new Error(`A refresh ended as ${refresh.outcome}`);
    await wait(20);
  }
}
