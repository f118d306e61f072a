import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { findLostReviews, trackReviewers, writeRandomReview } from "../support/acknowledged-reviews.ts";
import { openEmbedded, serverPid } from "../support/data-folders.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { printFigure } from "../support/print-figure.ts";
import { sendSignal } from "../support/program.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { type Site, startSite } from "../support/site.ts";

const KILLS = 50;
const SHOWS = 50;
const WRITERS = 12;

test("loses no acknowledged review when the site, or only its database, is killed 50 times", async () => {
  await using running = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "front-row-kills-"));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const { reviewers, showIds } = await prepare(folder, `http://127.0.0.1:${port}`);
  const slowest = { start: 0, restart: 0 };
  const start = () => startSite({ DATA_DIR: folder, PORT: port });
  let site = await start();
  running.defer(async () => void (await site.stop()));
  let isStopped = false;
  const writing = Promise.all(
    reviewers.map(async (reviewer) => {
      while (!isStopped) {
        await writeRandomReview(reviewer, [site.origin], showIds);
        await pause(5); // a killed server refuses thousands of connections a second
      }
    }),
  );
  running.defer(async () => {
    isStopped = true;
    await writing;
  });
  for (let kill = 0; kill < KILLS; kill++) {
    await pause(Math.random() * 500);
    const killedAt = performance.now();
    if (kill % 2 === 0) {
      await site.stop("SIGKILL");
      site = await start();
    } else await killDatabase(folder, site);
    const what = kill % 2 === 0 ? "start" : "restart";
    slowest[what] = Math.max(slowest[what], performance.now() - killedAt);
  }
  isStopped = true;
  await writing;
  const database = await openEmbedded(folder, "join");
  running.defer(database.close);
  const { lost, acknowledged } = await findLostReviews(database.db, reviewers);
  await expectServersMatchDatabase(database.db, [site]);
  printFigure("50 kills, acknowledged reviews lost", lost.length, `of ${acknowledged}`);
  printFigure("50 kills, slowest start", slowest.start, "ms");
  printFigure("50 kills, slowest restart of the database alone", slowest.restart, "ms");
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(100);
});

async function prepare(folder: string, origin: string) {
  const { db, close } = await openEmbedded(folder);
  await givenRefresh(db);
  await createComparisons(db);
  const showIds = await givenShows(db, SHOWS);
  await liftLimits(db);
  const reviewers = trackReviewers(await inventReviewers(db, origin, WRITERS));
  await close();
  return { reviewers, showIds };
}

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
