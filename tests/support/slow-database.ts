import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { keepBrowsing } from "./browsing.ts";
import { expectForeseen, expectStored, type FaultWorld, isSaved, type Sent, send, untilQuiet } from "./fault-world.ts";

/** How reviews were answered meanwhile: how many, and the longest that one of them, and of the pages read, took (ms). */
export interface SlowDatabase {
  answers: number;
  slowestWrite: number;
  slowestRead: number;
}

/**
 * Reviews a show while every answer of the database comes late (ms). Expects that reading does not notice, that reviews are written or
 * refused, never later, and that writing goes on afterwards.
 */
export async function writeWhileLate(world: FaultWorld, late: number): Promise<SlowDatabase> {
  const { site, way, someone } = world;
  const before = await send(site, someone(), "show-02");
  return writeMeanwhile(world, [before], async () => {
    way.delay(late);
    const sent = await Promise.all([send(site, someone()), send(site, someone()), send(site, someone())]);
    way.delay(0);
    return sent;
  });
}

/** The same while somebody holds a table so that each of the site's connections is stuck: nothing is written, and it recovers at once. */
export async function writeWhileStuck(world: FaultWorld, table: string): Promise<SlowDatabase> {
  const { site, database, someone } = world;
  return writeMeanwhile(world, [], async () => {
    const letGo = await holdTable(database, table);
    const sent = await Promise.all(Array.from({ length: 30 }, () => send(site, someone())));
    await letGo();
    expect(sent.some(isSaved)).toBe(false);
    sent.push(await send(site, someone()));
    expect(sent.map(isSaved).at(-1)).toBe(true);
    return sent;
  });
}

async function writeMeanwhile(
  { site, database, someone }: FaultWorld,
  before: Sent[],
  write: () => Promise<Sent[]>,
): Promise<SlowDatabase> {
  const browsing = keepBrowsing(site);
  const meanwhile = await write();
  const { failures, slowest } = await browsing.stop();
  expect(failures).toEqual([]);
  const refused = meanwhile.filter((review) => !isSaved(review)).map(({ outcome }) => outcome);
  expect(refused.filter((outcome) => outcome !== "503 unavailable")).toEqual([]);
  await untilQuiet(database);
  const after = await send(site, someone());
  expect(isSaved(after)).toBe(true);
  await expectStored(database, [...before, ...meanwhile, after]);
  expectForeseen(site, refused.length);
  return {
    answers: meanwhile.length,
    slowestWrite: Math.max(...meanwhile.map(({ took }) => took)),
    slowestRead: slowest,
  };
}

/** Holds a table against everybody, until it is let go. */
async function holdTable(database: Database, table: string): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
  return () => trx.rollback().execute();
}
