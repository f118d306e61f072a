import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import type { Target } from "../load/target.ts";
import { askServer } from "../metrics.ts";
import { processorTime } from "../processes.ts";

/** How often it is asked whether it has read everything, in ms. */
const EVERY = 100;

export interface Reload {
  seconds: number;
  /** Processor time of the server, in seconds: on a machine that has other things to do it tells more. */
  processorTime: number;
  /** The longest of its event loop, in ms. */
  pause: number;
}

/** Has a server read everything again, as it does after a refresh that has changed some titles: how long that takes. */
export async function measureReload({ origin, pid }: Target, db: Kysely<Schema>): Promise<Reload> {
  await sql`update shows set title = title || '!' where id in (select id from shows where listed limit 1000)`.execute(
    db,
  );
  const before = await askServer(origin);
  const usedBefore = processorTime(pid);
  const began = Date.now();
  await sql`select pg_notify('shows_changed', '')`.execute(db);
  let pause = 0;
  for (;;) {
    await wait(EVERY);
    const told = await askServer(origin);
    pause = Math.max(pause, told.pause);
    if (told.readAt <= before.readAt) continue;
    return { seconds: (told.readAt - began) / 1000, processorTime: (processorTime(pid) - usedBefore) / 1000, pause };
  }
}
