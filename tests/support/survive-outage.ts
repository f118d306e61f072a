import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { redirectTarget, signIn, startSignIn } from "./accounts.ts";
import { startBackgroundReads } from "./background-reads.ts";
import {
  countListedReviews,
  expectOnlyAcknowledgedStored,
  expectRefusalsLogged,
  type FaultEnvironment,
  isAcknowledged,
  readReadiness,
  type SubmittedReview,
  submitReview,
  waitUntilDatabaseIdle,
} from "./fault-environment.ts";
import type { Site } from "./site.ts";

/** How a site came through an outage, times in ms. */
export interface OutageResult {
  reads: number;
  slowestRead: number;
  refusals: number;
  slowestRefusal: number;
  /** From the database's return until the list showed what was written elsewhere meanwhile. */
  shownAfter: number;
  /** And until a review could be written here. */
  writtenAfter: number;
}

/** Longer than anything may need to recover, in ms. */
const patiently = { timeout: 120_000, interval: 100 };

/**
 * The database goes away from one of two servers, for so long (ms), and comes back. Expects that reading goes on there, that writing
 * and signing in are told to come again, and that afterwards all is as if nothing had been, without a restart.
 */
export async function surviveOutage(
  environment: FaultEnvironment,
  how: "cut" | "isolate",
  lasts: number,
): Promise<OutageResult> {
  const { site, relay, database } = environment;
  const other = await environment.startSecondSite();
  const sent = [await submitReview(other, environment.newReviewer(), "show-01")];
  await vi.waitUntil(async () => (await countListedReviews(site, "show-01")) === 1, patiently);
  // Whatever the server has to hear of has been heard: these notes it keeps from now on.
  expect((await site.api("/api/reviews?show_id=show-40")).status).toBe(200);
  await vi.waitUntil(async () => (await readReadiness(site)) === "200 up", patiently);

  const browsing = startBackgroundReads(site, ["show-40"]);
  relay[how]();
  const gone = performance.now();
  const refused: SubmittedReview[] = [];
  sent.push(await submitReview(other, environment.newReviewer(), "show-02"));
  do {
    const [review, error] = await Promise.all([submitReview(site, environment.newReviewer()), signInError(site)]);
    expect([review.outcome, error]).toEqual(["503 unavailable", "server_error"]);
    await vi.waitUntil(async () => (await readReadiness(site)) === "200 down", patiently);
    refused.push(review);
    await pause(500);
  } while (performance.now() - gone < lasts);
  const { failures, responses, slowest } = await browsing.stop();
  expect(failures).toEqual([]);
  const later = startBackgroundReads(site);

  relay.restore();
  const back = performance.now();
  const writing = untilWritten(environment, sent).then(() => performance.now() - back);
  await vi.waitUntil(async () => (await countListedReviews(site, "show-02")) === 1, patiently);
  const shownAfter = performance.now() - back;
  const writtenAfter = await writing;
  await vi.waitUntil(async () => (await readReadiness(site)) === "200 up", patiently);
  await signIn(site.origin, "github", { email: "afterwards@people.example" });
  sent.push(await submitReview(other, environment.newReviewer(), "show-03"));
  await vi.waitUntil(async () => (await countListedReviews(site, "show-03")) === 1, { timeout: 10_000 });
  expect((await later.stop()).failures).toEqual([]);
  await waitUntilDatabaseIdle(database);
  await expectOnlyAcknowledgedStored(database, [...sent, ...refused]);
  expectRefusalsLogged(site, refused.length);
  return {
    reads: responses,
    slowestRead: slowest,
    refusals: refused.length,
    slowestRefusal: Math.max(...refused.map(({ duration }) => duration)),
    shownAfter,
    writtenAfter,
  };
}

async function untilWritten({ site, newReviewer }: FaultEnvironment, sent: SubmittedReview[]): Promise<void> {
  const write = async () => {
    const review = await submitReview(site, newReviewer(), "show-04");
    sent.push(review);
    return isAcknowledged(review);
  };
  await vi.waitUntil(write, patiently);
}

/** What a sign-in leads back to the page with, on its first step. */
async function signInError({ origin }: Site): Promise<string | null> {
  const returned = await redirectTarget(startSignIn(origin, "github").url);
  expect(returned.origin).toBe(origin);
  return returned.searchParams.get("error");
}
