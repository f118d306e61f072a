import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { findLostReviews, trackReviewers, writeRandomReview } from "../support/acknowledged-reviews.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { printFigure } from "../support/print-figure.ts";
import { sendSignal } from "../support/program.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { startSite } from "../support/site.ts";
import {
  type AppProcess,
  findProcesses,
  kill,
  openTrial,
  serverPid,
  setUpDataFolders,
} from "../support/trial.ts";

const KILLS = 50;
const SHOWS = 50;
const WRITERS = 12;
const folders = setUpDataFolders();

test("loses no acknowledged review when the site, its database or both are killed 50 times, and never runs two servers", async () => {
  await using running = new AsyncDisposableStack();
  const dataDir = folders.migrated();
  const port = String(await freePort());
  const { reviewers, showIds } = await prepare(dataDir, `http://127.0.0.1:${port}`);
  /** Like `npm start`: one process has the database, another one is the site. Of two that start, one gets the folder. */
  const start = async () => {
    const apps = [folders.startApp(dataDir), folders.startApp(dataDir)];
    const urlOf = async (app: AppProcess) =>
      (await app.nextLine()).url ?? Promise.reject(new Error("refused"));
    const DATABASE_URL = await Promise.any(apps.map(urlOf));
    expect((await findProcesses(dataDir)).postmasters).toHaveLength(1);
    return { apps, DATABASE_URL, site: await startSite({ DATABASE_URL, PORT: port }) };
  };
  let current = await start();
  running.defer(async () => void (await current.site.stop()));
  let isStopped = false;
  let written = 0;
  const writing = Promise.all(
    reviewers.map(async (reviewer) => {
      while (!isStopped) {
        if (await writeRandomReview(reviewer, [current.site.origin], showIds)) written += 1;
        await pause(5); // a killed server refuses thousands of connections a second
      }
    }),
  );
  running.defer(async () => {
    isStopped = true;
    await writing;
  });
  let slowestStart = 0;
  for (let killed = 0; killed < KILLS; killed++) {
    const enough = written + 3;
    await vi.waitUntil(() => written > enough, { timeout: 60_000, interval: 5 });
    await pause(Math.random() * 500);
    const { apps, DATABASE_URL, site } = current;
    const killedAt = performance.now();
    if (killed % 3 === 0) {
      await site.stop("SIGKILL");
      current = { apps, DATABASE_URL, site: await startSite({ DATABASE_URL, PORT: port }) };
    } else {
      if (killed % 3 === 1) sendSignal(await serverPid(dataDir), "SIGKILL");
      await Promise.all([site.stop("SIGKILL"), ...apps.map((app) => kill(app.process))]);
      current = await start();
    }
    slowestStart = Math.max(slowestStart, performance.now() - killedAt);
  }
  isStopped = true;
  await writing;
  const { db, close } = await openTrial(dataDir, "join");
  running.defer(close);
  const { lost, acknowledged } = await findLostReviews(db, reviewers);
  await expectServersMatchDatabase(db, [current.site]);
  printFigure("50 kills, acknowledged reviews lost", lost.length, `of ${acknowledged}`);
  printFigure("50 kills, slowest start", slowestStart, "ms");
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(KILLS);
});

async function prepare(folder: string, origin: string) {
  const { db, close } = await openTrial(folder);
  await givenRefresh(db);
  await createComparisons(db);
  const showIds = await givenShows(db, SHOWS);
  await liftLimits(db);
  const reviewers = trackReviewers(await inventReviewers(db, origin, WRITERS));
  await close();
  return { reviewers, showIds };
}
