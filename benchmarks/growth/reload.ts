import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import { catalogueReadAt, longestPause } from "../metrics.ts";

/** How often it is asked whether it has read everything, in ms. */
const EVERY = 100;

/** Has a server read everything again, as it does after a refresh: how long that takes, and how long its event loop pauses at most meanwhile, in ms. */
export async function measureReload(origin: string, db: Kysely<Schema>): Promise<{ seconds: number; pause: number }> {
  const before = await catalogueReadAt(origin);
  const began = Date.now();
  await sql`select pg_notify('shows_changed', '')`.execute(db);
  let pause = 0;
  for (;;) {
    await wait(EVERY);
    pause = Math.max(pause, await longestPause(origin));
    const readAt = await catalogueReadAt(origin);
    if (readAt > before) return { seconds: (readAt - began) / 1000, pause };
  }
}
