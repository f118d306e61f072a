import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { inventReviewers } from "../../dev/harness/reviewers.ts";
import { type Database, openDatabase } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { startBackgroundReads } from "./background-reads.ts";
import {
  expectOnlyAcknowledgedStored,
  expectRefusalsLogged,
  isAcknowledged,
  type SubmittedReview,
  submitReview,
} from "./fault-environment.ts";
import { givenRefresh } from "./given.ts";
import { startSite } from "./site.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

/** The largest size of PostgreSQL's log, in bytes: it is truncated once a minute. */
const LARGEST_LOG = 8 * 1024 * 1024;

/** A small disk with a data folder. Its database has shows and is shut down. */
export async function prepareSmallDisk(): Promise<SmallDisk & { dataDir: string }> {
  const disk = mountSmallDisk(128);
  const dataDir = path.join(disk.folder, "data");
  const database = await openEmbedded(dataDir, "own");
  await givenRefresh(database.db);
  await writeShows(database.db);
  await database.close();
  return { ...disk, dataDir };
}

function openEmbedded(dataDir: string, sharing: "own" | "join"): Promise<Database> {
  return openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: "silent" }), sharing });
}

async function writeShows(db: Kysely<Schema>): Promise<void> {
  await sql`insert into shows (id, title, year, status)
    select 'show-' || to_char(n, 'FM00'), 'Show ' || n, 2025, 'active' from generate_series(1, 45) n`.execute(
    db,
  );
}

/** What a site did while its disk was full. */
export interface FullDiskResult {
  reads: number;
  refusals: number;
  /** The slowest of the reviews before the disk was full, in ms. */
  slowestBefore: number;
  /** In ms. */
  slowestRefusal: number;
  /** Log lines about anything but refused writes. */
  logLines: number;
  /** From free space until a review was stored, in ms. */
  writtenAfter: number;
}

/**
 * Fills the disk of the embedded database while reviews are written, until the database stops, and frees it
 * after `fullFor` ms. Expects that reads succeed all the time, that writes are refused, and that the site
 * recovers by itself with all acknowledged reviews.
 */
export async function surviveFullDisk(
  disk: SmallDisk,
  dataDir: string,
  fullFor: number,
): Promise<FullDiskResult> {
  await using running = new AsyncDisposableStack();
  const site = await startSite({ DATA_DIR: dataDir });
  running.defer(async () => void (await site.stop()));
  const joined = await openEmbedded(dataDir, "join");
  running.defer(joined.close);
  const reviewers = await inventReviewers(joined.db, site.origin, 2_000);
  const sent: SubmittedReview[] = [];
  const write = async (notes?: string) => {
    const review = await submitReview(
      site,
      reviewers.pop() ?? expect.fail("No reviewer is left"),
      "show-01",
      notes,
    );
    sent.push(review);
    return isAcknowledged(review);
  };
  for (let review = 0; review < 10; review++) expect(await write()).toBe(true);
  const slowestBefore = Math.max(...sent.map(({ duration }) => duration));
  const reads = startBackgroundReads(site);

  await disk.fill();
  while (await write("x".repeat(1_000)));
  // PostgreSQL stops when it cannot write its WAL.
  const writeWal = () =>
    joined.pool.query("select pg_logical_emit_message(true, '', repeat('x', 1000000)), pg_switch_wal()");
  await vi.waitUntil(() => writeWal().then(() => false, isGone), { timeout: 30_000, interval: 10 });
  const logLength = site.log.length;
  const full = performance.now();
  do {
    expect(await write()).toBe(false);
    await pause(500);
  } while (performance.now() - full < fullFor);
  const refused = sent.filter((review) => !isAcknowledged(review));
  for (const { outcome } of refused) expect(outcome).toMatch(/^503 (unavailable|unconfirmed)$/);
  expect((await stat(path.join(dataDir, "postgres.log"))).size).toBeLessThan(LARGEST_LOG);
  const logLines = site.log.slice(logLength).filter((line) => !/"path":"\/api\/reviews"/.test(line));
  for (const line of logLines) expect(line.length, line).toBeLessThan(2_000);

  await disk.free();
  const freed = performance.now();
  await vi.waitUntil(() => write(), { timeout: 120_000, interval: 200 });
  const writtenAfter = performance.now() - freed;
  const { failures, responses } = await reads.stop();
  expect(failures).toEqual([]);
  await expectOnlyAcknowledgedStored(joined, sent);
  expectRefusalsLogged(site, sent);
  return {
    reads: responses,
    refusals: refused.length,
    slowestBefore,
    slowestRefusal: Math.max(...refused.map(({ duration }) => duration)),
    logLines: logLines.length,
    writtenAfter,
  };
}

/** Whether a statement failed because the server stopped. */
function isGone(error: Error): boolean {
  return /terminat|ECONN|recovery mode|shutting down|not yet accepting|No space left/.test(error.message);
}
