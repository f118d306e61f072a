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
 * The number of writes that were answered meanwhile, and the longest response times of writes and reads, in
 * ms.
 */
export interface SlowDatabaseResult {
  responses: number;
  slowestWrite: number;
  slowestRead: number;
}

/**
 * Writes reviews while the database's responses are delayed by `latency` ms. Expects that reads succeed, that
 * each review is stored or refused and none is stored after a refusal, and that writes succeed afterwards.
 */
export async function writeDuringLatency(
  environment: FaultEnvironment,
  latency: number,
): Promise<SlowDatabaseResult> {
  const { site, relay, newReviewer } = environment;
  const before = await submitReview(site, newReviewer(), "show-02");
  return writeAndVerify(environment, [before], async () => {
    relay.delay(latency);
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
 * Writes reviews while a table is locked, so that all connections of the site wait. Expects that all are
 * refused, and that writes succeed as soon as the lock is released.
 */
export async function writeDuringTableLock(
  environment: FaultEnvironment,
  table: string,
): Promise<SlowDatabaseResult> {
  const { site, database, newReviewer } = environment;
  return writeAndVerify(environment, [], async () => {
    const release = await lockTable(database, table);
    const sent = await Promise.all(Array.from({ length: 30 }, () => submitReview(site, newReviewer())));
    await release();
    expect(sent.some(isAcknowledged)).toBe(false);
    sent.push(await submitReview(site, newReviewer()));
    expect(sent.map(isAcknowledged).at(-1)).toBe(true);
    return sent;
  });
}

async function writeAndVerify(
  { site, database, newReviewer }: FaultEnvironment,
  before: SubmittedReview[],
  write: () => Promise<SubmittedReview[]>,
): Promise<SlowDatabaseResult> {
  const reads = startBackgroundReads(site);
  const meanwhile = await write();
  const { failures, slowest } = await reads.stop();
  expect(failures).toEqual([]);
  const refused = meanwhile.filter((review) => !isAcknowledged(review)).map(({ outcome }) => outcome);
  expect(refused.filter((outcome) => !/^503 (unavailable|unconfirmed)$/.test(outcome))).toEqual([]);
  await waitUntilDatabaseIdle(database);
  const after = await submitReview(site, newReviewer());
  expect(isAcknowledged(after)).toBe(true);
  await expectOnlyAcknowledgedStored(database, [...before, ...meanwhile, after]);
  expectRefusalsLogged(site, meanwhile);
  return {
    responses: meanwhile.length,
    slowestWrite: Math.max(...meanwhile.map(({ duration }) => duration)),
    slowestRead: slowest,
  };
}

/** Locks a table exclusively until the returned function is called. */
async function lockTable(database: Database, table: string): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
  return () => trx.rollback().execute();
}
