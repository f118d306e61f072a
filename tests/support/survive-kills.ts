import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { sendSignal } from "../../src/database/embedded/processes.server.ts";
import { openDatabase } from "../../src/database/open.server.ts";
import {
  findLostReviews,
  type LossReport,
  type TrackedReviewer,
  trackReviewers,
  writeRandomReview,
} from "./acknowledged-reviews.ts";
import { serverPid } from "./data-folders.ts";
import { createComparisons } from "./reference-list.ts";
import { expectServersMatchDatabase } from "./reference-reviews.ts";
import { recordRecentRefresh, type Site, startSite } from "./site.ts";

const SHOWS = 50;
const WRITERS = 12;

/** How a site with a database of its own came through being killed. */
export interface KillsResult extends LossReport {
  /** The longest from a start of the site until it answered, and from the database's end until it answered again, in ms. */
  slowestStart: number;
  slowestRestart: number;
}

/**
 * Kills a site with its database (-9), or its database alone, in turns and so many times, while people review without a pause. Expects
 * that it comes up every time, and that in the end it tells what is stored, which equals a recount; answers what was lost as well.
 */
export async function surviveKills(times: number): Promise<KillsResult> {
  await using running = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-kills-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const witnesses = await prepare(folder, `http://127.0.0.1:${port}`);
  const start = () => startSite({ DATA_DIR: folder, PORT: port });
  let slowestStart = 0;
  let slowestRestart = 0;
  let site = await start();
  running.defer(async () => void (await site.stop()));

  const { stop } = keepReviewing(site.origin, witnesses);
  running.defer(stop);
  for (let turn = 0; turn < times; turn++) {
    await pause(Math.random() * 500);
    const began = performance.now();
    if (turn % 2 === 0) {
      await site.stop("SIGKILL");
      site = await start();
      slowestStart = Math.max(slowestStart, performance.now() - began);
    } else {
      await killDatabase(folder, site);
      slowestRestart = Math.max(slowestRestart, performance.now() - began);
    }
  }
  await stop();

  const database = await openEmbedded(folder, "join");
  running.defer(database.close);
  const kept = await findLostReviews(database.db, witnesses);
  await expectServersMatchDatabase(database.db, [site]);
  return { ...kept, slowestStart, slowestRestart };
}

function openEmbedded(dataDir: string, sharing: "own" | "join") {
  return openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: "silent" }), sharing });
}

const showIds = Array.from({ length: SHOWS }, (_, index) => `show-${index + 1}`);

async function prepare(folder: string, origin: string): Promise<TrackedReviewer[]> {
  const { db, close } = await openEmbedded(folder, "own");
  await recordRecentRefresh(db);
  await createComparisons(db);
  await sql`insert into shows (id, title, year, status)
    select id, 'Show ' || id, 2025, 'active' from unnest(${showIds}::text[]) id`.execute(db);
  await liftLimits(db);
  const witnesses = trackReviewers(await inventReviewers(db, origin, WRITERS));
  await close();
  return witnesses;
}

/** Everybody reviews, one review after the other, until told to stop. */
function keepReviewing(origin: string, witnesses: readonly TrackedReviewer[]): { stop: () => Promise<void> } {
  let stopped = false;
  const write = async (witness: TrackedReviewer) => {
    while (!stopped) {
      await writeRandomReview(witness, [origin], showIds);
      await pause(5); // a server that is not there refuses thousands a second
    }
  };
  const writing = Promise.all(witnesses.map(write));
  return {
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

/** Kills it and waits until another one answers. */
async function killDatabase(folder: string, { origin }: Site): Promise<void> {
  const killed = await serverPid(folder);
  sendSignal(killed, "SIGKILL");
  const isBack = async () => {
    const pid = await serverPid(folder);
    return pid !== 0 && pid !== killed && (await (await fetch(`${origin}/readyz`)).json()).database === "up";
  };
  await vi.waitUntil(isBack, { timeout: 60_000, interval: 20 });
  expect((await fetch(origin)).status).toBe(200);
}
