import { createHistogram } from "node:perf_hooks";
import pg from "pg";
import { microseconds } from "../load/ask.ts";
import { readPage } from "../load/programme.ts";
import type { Latency } from "../load/steady.ts";
import type { Target } from "../load/target.ts";
import { processorTime } from "../processes.ts";

/** What one review costs a server that hears of it. */
export interface Change {
  /** From the review's being stored until the list begins with its show, in ms. */
  shownAfter: Latency;
  /** Processor time of the server for the change and the asking whether it is shown, in ms. */
  processorTime: number;
}

/** So many that it hardly matters whether all memory is looked at meanwhile, which takes as long as 400 changes. */
const CHANGES = 1_000;

/** Changes one review after the other in the database itself, each until the server's list begins with its show. */
export async function measureChange(server: Target, databaseUrl: string): Promise<Change> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ show_id: string; user_id: string }>(
    `select show_id, user_id from (
      select distinct on (show_id) show_id, user_id from (select show_id, user_id from reviews limit 50000) as sample
    ) as one_of_each order by md5(show_id) limit $1`,
    [CHANGES],
  );
  const latencies = createHistogram();
  const usedBefore = processorTime(server.pid);
  for (const { show_id, user_id } of rows) {
    await client.query("update reviews set created_at = clock_timestamp() where show_id = $1 and user_id = $2", [
      show_id,
      user_id,
    ]);
    const began = performance.now();
    while ((await readPage(server.origin, "")).shows[0]?.id !== show_id) {}
    latencies.record(microseconds(performance.now() - began));
  }
  const used = processorTime(server.pid) - usedBefore;
  await client.end();
  return {
    shownAfter: { p50: latencies.percentile(50) / 1000, p99: latencies.percentile(99) / 1000 },
    processorTime: used / rows.length,
  };
}
