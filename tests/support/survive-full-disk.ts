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
import { recordRecentRefresh, startSite } from "./site.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

/** Bytes that PostgreSQL's log may have: it is looked at every minute. */
const LARGEST_LOG = 8 * 1024 * 1024;

/** A disk with a data folder in which there are shows, its database shut down. */
export async function prepareSmallDisk(): Promise<SmallDisk & { dataDir: string }> {
  const disk = mountSmallDisk(128);
  const dataDir = path.join(disk.folder, "data");
  const database = await openEmbedded(dataDir, "own");
  await recordRecentRefresh(database.db);
  await writeShows(database.db);
  await database.close();
  return { ...disk, dataDir };
}

function openEmbedded(dataDir: string, sharing: "own" | "join"): Promise<Database> {
  return openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: "silent" }), sharing });
}

async function writeShows(db: Kysely<Schema>): Promise<void> {
  await sql`insert into shows (id, title, year, status)
    select 'show-' || to_char(n, 'FM00'), 'Show ' || n, 2025, 'active' from generate_series(1, 45) n`.execute(db);
}

/** How a site came through a full disk. */
export interface FullDiskResult {
  reads: number;
  refusals: number;
  /** In ms. */
  slowestRefusal: number;
  /** Lines that the site logged for something else than a refused write. */
  logLines: number;
  /** From the space's return until a review could be written, in ms. */
  writtenAfter: number;
}

/**
 * The disk under the embedded database fills up while reviews are written, until the database cannot even run any more, and is given
 * space again after so long (ms). Expects that reading goes on, that writes are refused, and that all works again by itself, with
 * everything that was acknowledged.
 */
export async function surviveFullDisk(disk: SmallDisk, dataDir: string, lasts: number): Promise<FullDiskResult> {
  await using running = new AsyncDisposableStack();
  const site = await startSite({ DATA_DIR: dataDir });
  running.defer(async () => void (await site.stop()));
  const joined = await openEmbedded(dataDir, "join");
  running.defer(joined.close);
  const people = await inventReviewers(joined.db, site.origin, 2_000);
  const sent: SubmittedReview[] = [];
  const write = async (notes?: string) => {
    const review = await submitReview(site, people.pop() ?? expect.fail("Nobody is left"), "show-01", notes);
    sent.push(review);
    return isAcknowledged(review);
  };
  expect(await write()).toBe(true);
  const browsing = startBackgroundReads(site);

  await disk.fill();
  while (await write("x".repeat(1_000)));
  // What others do fills the journal, without which the server cannot go on.
  const journal = () =>
    joined.pool.query("select pg_logical_emit_message(true, '', repeat('x', 1000000)), pg_switch_wal()");
  await vi.waitUntil(() => journal().then(() => false, isGone), { timeout: 30_000, interval: 10 });
  const logged = site.log.length;
  const full = performance.now();
  do {
    expect(await write()).toBe(false);
    await pause(500);
  } while (performance.now() - full < lasts);
  const refused = sent.filter((review) => !isAcknowledged(review));
  expect([...new Set(refused.map(({ outcome }) => outcome))]).toEqual(["503 unavailable"]);
  expect((await stat(path.join(dataDir, "postgres.log"))).size).toBeLessThan(LARGEST_LOG);
  const logLines = site.log.slice(logged).filter((line) => !/"path":"\/api\/reviews"/.test(line));
  for (const line of logLines) expect(line.length, line).toBeLessThan(2_000);

  await disk.free();
  const back = performance.now();
  await vi.waitUntil(() => write(), { timeout: 120_000, interval: 200 });
  const writtenAfter = performance.now() - back;
  const { failures, responses } = await browsing.stop();
  expect(failures).toEqual([]);
  await expectOnlyAcknowledgedStored(joined, sent);
  expectRefusalsLogged(site, refused.length);
  return {
    reads: responses,
    refusals: refused.length,
    slowestRefusal: Math.max(...refused.map(({ duration }) => duration)),
    logLines: logLines.length,
    writtenAfter,
  };
}

/** Whether a statement failed because the server ended under it. */
function isGone(error: Error): boolean {
  return /terminat|ECONN|recovery mode|shutting down|not yet accepting|No space left/.test(error.message);
}
