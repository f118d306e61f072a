import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { openDatabase } from "../../src/database/open.server.ts";
import {
  findLostReviews,
  type LossReport,
  type TrackedReviewer,
  trackReviewers,
  writeRandomReview,
} from "./acknowledged-reviews.ts";
import { serverPid } from "./data-folders.ts";
import { givenRefresh } from "./given.ts";
import { sendSignal } from "./processes.ts";
import { createComparisons } from "./reference-list.ts";
import { expectServersMatchDatabase } from "./reference-reviews.ts";
import { type Site, startSite } from "./site.ts";

const SHOWS = 50;
const WRITERS = 12;

/** What the kills did to a site with an embedded database. */
export interface KillsResult extends LossReport {
  /** The longest start of the site, in ms. */
  slowestStart: number;
  /** The longest restart of the database alone, in ms. */
  slowestRestart: number;
}

/**
 * Kills (-9) alternately a site, with which its database ends, and the database alone, while reviewers write
 * without a pause. Expects that it starts every time, and that its responses equal the database in the end.
 * Returns the acknowledged reviews that were lost.
 */
export async function surviveKills(times: number): Promise<KillsResult> {
  await using running = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-kills-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const reviewers = await prepare(folder, `http://127.0.0.1:${port}`);
  const start = () => startSite({ DATA_DIR: folder, PORT: port });
  let slowestStart = 0;
  let slowestRestart = 0;
  let site = await start();
  running.defer(async () => void (await site.stop()));

  const { stop } = startReviewing(site.origin, reviewers);
  running.defer(stop);
  for (let kill = 0; kill < times; kill++) {
    await pause(Math.random() * 500);
    const killedAt = performance.now();
    if (kill % 2 === 0) {
      await site.stop("SIGKILL");
      site = await start();
      slowestStart = Math.max(slowestStart, performance.now() - killedAt);
    } else {
      await killDatabase(folder, site);
      slowestRestart = Math.max(slowestRestart, performance.now() - killedAt);
    }
  }
  await stop();

  const database = await openEmbedded(folder, "join");
  running.defer(database.close);
  const report = await findLostReviews(database.db, reviewers);
  await expectServersMatchDatabase(database.db, [site]);
  return { ...report, slowestStart, slowestRestart };
}

function openEmbedded(dataDir: string, sharing: "own" | "join") {
  return openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: "silent" }), sharing });
}

const showIds = Array.from({ length: SHOWS }, (_, index) => `show-${index + 1}`);

async function prepare(folder: string, origin: string): Promise<TrackedReviewer[]> {
  const { db, close } = await openEmbedded(folder, "own");
  await givenRefresh(db);
  await createComparisons(db);
  await sql`insert into shows (id, title, year, status)
    select id, 'Show ' || id, 2025, 'active' from unnest(${showIds}::text[]) id`.execute(db);
  await liftLimits(db);
  const reviewers = trackReviewers(await inventReviewers(db, origin, WRITERS));
  await close();
  return reviewers;
}

/** Each reviewer writes one review after the other until stopped. */
function startReviewing(
  origin: string,
  reviewers: readonly TrackedReviewer[],
): { stop: () => Promise<void> } {
  let stopped = false;
  const write = async (reviewer: TrackedReviewer) => {
    while (!stopped) {
      await writeRandomReview(reviewer, [origin], showIds);
      await pause(5); // a killed server refuses thousands of connections a second
    }
  };
  const writing = Promise.all(reviewers.map(write));
  return {
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

/** Kills the database and waits until the site has started another. */
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
