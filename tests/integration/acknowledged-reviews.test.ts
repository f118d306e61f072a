import { expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { findLostReviews, trackReviewers, writeRandomReview } from "../support/acknowledged-reviews.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";

const USERS = 30;
const SHOWS = 50;
const WRITES = 4;
const database = await setUpDatabase();
const { db } = database;

test(`killed servers lose no acknowledged review of ${USERS} users and match the database`, async () => {
  await givenRefresh(db);
  await createComparisons(db);
  const showIds = await givenShows(db, SHOWS);
  await liftLimits(db);
  const ports = [await freePort(), await freePort()];
  const ORIGIN = `http://127.0.0.1:${ports[0]}`;
  const start = (port = 0) => startSite({ DATABASE_URL: database.url, ORIGIN, PORT: String(port) });
  const servers = await Promise.all(ports.map(start));
  const reviewers = trackReviewers(await inventReviewers(db, ORIGIN, USERS));
  let isWriting = true;
  const kills = (async () => {
    for (let index = 0; isWriting; index = 1 - index) {
      await servers[index]?.stop("SIGKILL");
      servers[index] = await start(ports[index]);
    }
  })();
  const queue = [...reviewers];
  const work = async () => {
    for (let reviewer = queue.pop(); reviewer; reviewer = queue.pop())
      for (let write = 0; write < WRITES; write++)
        await writeRandomReview(
          reviewer,
          servers.map(({ origin }) => origin),
          showIds,
        );
  };
  await Promise.all(Array.from({ length: 16 }, work));
  isWriting = false;
  await kills;
  const { acknowledged, lost } = await findLostReviews(db, reviewers);
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(USERS);
  await expectServersMatchDatabase(db, servers);
  await Promise.all(servers.map((server) => server.stop()));
}, 180_000);
