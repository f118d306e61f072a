import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { startBackgroundReads } from "./background-reads.ts";
import {
  expectOnlyAcknowledgedStored,
  expectRefusalsLogged,
  type FaultEnvironment,
  isAcknowledged,
  type SubmittedReview,
  submitReview,
  waitUntilDatabaseIdle,
} from "./fault-environment.ts";

/**
 * How reviews were answered meanwhile: how many, and the longest that one of them, and of the pages read,
 * took (ms).
 */
export interface SlowDatabaseResult {
  responses: number;
  slowestWrite: number;
  slowestRead: number;
}

/**
 * Reviews a show while every answer of the database comes late (ms). Expects that reading does not notice,
 * that reviews are written or refused, never later, and that writing goes on afterwards.
 */
export async function writeDuringLatency(environment: FaultEnvironment, late: number): Promise<SlowDatabaseResult> {
  const { site, relay, newReviewer } = environment;
  const before = await submitReview(site, newReviewer(), "show-02");
  return writeMeanwhile(environment, [before], async () => {
    relay.delay(late);
    const sent = await Promise.all([
      submitReview(site, newReviewer()),
      submitReview(site, newReviewer()),
      submitReview(site, newReviewer()),
    ]);
    relay.delay(0);
    return sent;
  });
}

/**
 * The same while somebody holds a table so that each of the site's connections is stuck: nothing is written,
 * and it recovers at once.
 */
export async function writeDuringTableLock(environment: FaultEnvironment, table: string): Promise<SlowDatabaseResult> {
  const { site, database, newReviewer } = environment;
  return writeMeanwhile(environment, [], async () => {
    const letGo = await holdTable(database, table);
    const sent = await Promise.all(Array.from({ length: 30 }, () => submitReview(site, newReviewer())));
    await letGo();
    expect(sent.some(isAcknowledged)).toBe(false);
    sent.push(await submitReview(site, newReviewer()));
    expect(sent.map(isAcknowledged).at(-1)).toBe(true);
    return sent;
  });
}

async function writeMeanwhile(
  { site, database, newReviewer }: FaultEnvironment,
  before: SubmittedReview[],
  write: () => Promise<SubmittedReview[]>,
): Promise<SlowDatabaseResult> {
  const browsing = startBackgroundReads(site);
  const meanwhile = await write();
  const { failures, slowest } = await browsing.stop();
  expect(failures).toEqual([]);
  const refused = meanwhile.filter((review) => !isAcknowledged(review)).map(({ outcome }) => outcome);
  expect(refused.filter((outcome) => outcome !== "503 unavailable")).toEqual([]);
  await waitUntilDatabaseIdle(database);
  const after = await submitReview(site, newReviewer());
  expect(isAcknowledged(after)).toBe(true);
  await expectOnlyAcknowledgedStored(database, [...before, ...meanwhile, after]);
  expectRefusalsLogged(site, refused.length);
  return {
    responses: meanwhile.length,
    slowestWrite: Math.max(...meanwhile.map(({ duration }) => duration)),
    slowestRead: slowest,
  };
}

/** Holds a table against everybody, until it is let go. */
async function holdTable(database: Database, table: string): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
  return () => trx.rollback().execute();
}
