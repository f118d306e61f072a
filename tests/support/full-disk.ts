import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { inventReviewers } from "../../dev/harness/reviewers.ts";
import { openEmbedded } from "./data-folders.ts";
import {
  expectOnlyAcknowledgedStored,
  expectRefusalsLogged,
  isAcknowledged,
  type SubmittedReview,
  slowest,
  submitReview,
} from "./fault-environment.ts";
import { givenRefresh, givenShows } from "./given.ts";
import { startReads } from "./reads.ts";
import { startSite } from "./site.ts";

/** In bytes. PostgreSQL's log may grow to this size until it is truncated, once a minute. */
const LARGEST_LOG = 8 * 1024 * 1024;
export type SmallDisk = Awaited<ReturnType<typeof prepareSmallDisk>>;

const mount = (megabytes: number, folder: string) =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]).status === 0;

/** Root on Linux may mount file systems, but not in most containers. */
export function canMountDisks(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-mount-"));
  const mounted = mount(1, folder);
  if (mounted) execFileSync("umount", [folder]);
  execFileSync("rmdir", [folder]);
  return mounted;
}

export async function prepareSmallDisk() {
  const folder = mkdtempSync(path.join(tmpdir(), "front-row-disk-"));
  expect(mount(128, folder)).toBe(true);
  const [filler, dataDir] = [path.join(folder, "filler"), path.join(folder, "data")];
  const database = await openEmbedded(dataDir);
  await givenRefresh(database.db);
  await givenShows(database.db, 45);
  await database.close();
  return {
    folder,
    dataDir,
    async fill() {
      await using file = await open(filler, "a");
      for (const size of [1_048_576, 4_096]) await writeUntilFull(file, Buffer.alloc(size));
    },
    free: () => rm(filler, { force: true }),
    async close() {
      execFileSync("umount", ["--lazy", folder]); // also while it is in use
      await rm(folder, { recursive: true });
    },
  };
}

async function writeUntilFull(file: FileHandle, part: Buffer): Promise<void> {
  try {
    for (;;) await file.write(part);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

/**
 * Fills the disk of the embedded database during writes, until the database stops, and frees it after `fullFor` ms.
 * Expects that all reads succeed, that writes are refused, and that the site recovers by itself with all acknowledged
 * reviews. Returns figures; times are in ms.
 */
export async function surviveFullDisk(disk: SmallDisk, fullFor: number) {
  await using running = new AsyncDisposableStack();
  const site = await startSite({ DATA_DIR: disk.dataDir });
  running.defer(async () => void (await site.stop()));
  const joined = await openEmbedded(disk.dataDir, "join");
  running.defer(joined.close);
  const reviewers = await inventReviewers(joined.db, site.origin, 2_000);
  const sent: SubmittedReview[] = [];
  const write = async (notes?: string) => {
    const review = await submitReview(
      site,
      reviewers.pop() ?? expect.fail("No reviewer is left"),
      "show-1",
      notes,
    );
    sent.push(review);
    return isAcknowledged(review);
  };
  for (let review = 0; review < 10; review++) expect(await write()).toBe(true);
  const slowestBefore = slowest(sent);
  const reads = startReads(site.origin);
  await disk.fill();
  while (await write("x".repeat(1_000)));
  // PostgreSQL stops when it cannot write its WAL.
  const writeWal = () =>
    joined.pool.query("select pg_logical_emit_message(true, '', repeat('x', 1000000)), pg_switch_wal()");
  const isGone = ({ message }: Error) =>
    /terminat|ECONN|recovery mode|shutting down|not yet accepting|No space left/.test(message);
  await vi.waitUntil(() => writeWal().then(() => false, isGone), { timeout: 30_000, interval: 10 });
  const logLength = site.log.length;
  const full = performance.now();
  do {
    expect(await write()).toBe(false);
    await pause(500);
  } while (performance.now() - full < fullFor);
  const refused = sent.filter((review) => !isAcknowledged(review));
  expect((await stat(path.join(disk.dataDir, "postgres.log"))).size).toBeLessThan(LARGEST_LOG);
  const logLines = site.log.slice(logLength).filter((line) => !/"path":"\/api\/reviews"/.test(line));
  for (const line of logLines) expect(line.length, line).toBeLessThan(2_000);
  await disk.free();
  const freed = performance.now();
  await vi
    .waitUntil(() => write(), { timeout: 120_000, interval: 200 })
    .catch((cause) => {
      throw new Error(`Nothing was written again:\n${site.log.slice(-20).join("\n")}`, { cause });
    });
  const writtenAfter = performance.now() - freed;
  const { failures, times } = await reads.stop();
  expect(failures).toEqual([]);
  await expectOnlyAcknowledgedStored(joined, sent);
  expectRefusalsLogged(site, sent);
  const slowestRefusal = slowest(refused);
  return { reads: times.length, refused, slowestBefore, slowestRefusal, logLines, writtenAfter };
}
