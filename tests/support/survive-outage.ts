import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { redirectTarget, signIn, signInUpToCallback } from "./accounts.ts";
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

/** What a site did during and after an outage. Times are in ms. */
export interface OutageResult {
  reads: number;
  slowestRead: number;
  refusals: number;
  slowestRefusal: number;
  /** From the database's return until the list showed a review that another server had written meanwhile. */
  shownAfter: number;
  /** From the database's return until this server stored a review. */
  writtenAfter: number;
}

/** Polling with a timeout (ms) that is longer than any recovery. */
const polling = { timeout: 120_000, interval: 100 };

/**
 * Interrupts the database connections of one of two servers for `outageMs`. Expects that it serves reads
 * meanwhile and refuses writes and sign-ins as unavailable, and that it recovers completely without a
 * restart.
 */
export async function surviveOutage(
  environment: FaultEnvironment,
  how: "cut" | "isolate",
  outageMs: number,
): Promise<OutageResult> {
  const { site, relay, database } = environment;
  const second = await environment.startSecondSite();
  const sent = [await submitReview(second, environment.newReviewer(), "show-01")];
  await vi.waitUntil(async () => (await countListedReviews(site, "show-01")) === 1, polling);
  // All notifications have arrived, so these notes stay in the cache from now on.
  expect((await site.api("/api/reviews?show_id=show-40")).status).toBe(200);
  await vi.waitUntil(async () => (await readReadiness(site)) === "200 up", polling);

  const reads = startBackgroundReads(site, ["show-40"]);
  relay[how]();
  const start = performance.now();
  const refused: SubmittedReview[] = [];
  sent.push(await submitReview(second, environment.newReviewer(), "show-02"));
  do {
    const [review, error] = await Promise.all([
      submitReview(site, environment.newReviewer()),
      signInError(site),
    ]);
    expect([review.outcome, error]).toEqual(["503 unavailable", "server_error"]);
    await vi.waitUntil(async () => (await readReadiness(site)) === "200 down", polling);
    refused.push(review);
    await pause(500);
  } while (performance.now() - start < outageMs);
  const { failures, responses, slowest } = await reads.stop();
  expect(failures).toEqual([]);
  const laterReads = startBackgroundReads(site);

  relay.restore();
  const restored = performance.now();
  const writing = waitUntilWritten(environment, sent).then(() => performance.now() - restored);
  await vi.waitUntil(async () => (await countListedReviews(site, "show-02")) === 1, polling);
  const shownAfter = performance.now() - restored;
  const writtenAfter = await writing;
  await vi.waitUntil(async () => (await readReadiness(site)) === "200 up", polling);
  await signIn(site.origin, "github", { email: "afterwards@people.example" });
  sent.push(await submitReview(second, environment.newReviewer(), "show-03"));
  await vi.waitUntil(async () => (await countListedReviews(site, "show-03")) === 1, { timeout: 10_000 });
  expect((await laterReads.stop()).failures).toEqual([]);
  await waitUntilDatabaseIdle(database);
  await expectOnlyAcknowledgedStored(database, [...sent, ...refused]);
  expectRefusalsLogged(site, refused);
  return {
    reads: responses,
    slowestRead: slowest,
    refusals: refused.length,
    slowestRefusal: Math.max(...refused.map(({ duration }) => duration)),
    shownAfter,
    writtenAfter,
  };
}

async function waitUntilWritten(
  { site, newReviewer }: FaultEnvironment,
  sent: SubmittedReview[],
): Promise<void> {
  const write = async () => {
    const review = await submitReview(site, newReviewer(), "show-04");
    sent.push(review);
    return isAcknowledged(review);
  };
  await vi.waitUntil(write, polling);
}

/** The error with which a sign-in that comes back from the provider is redirected to the page. */
async function signInError({ origin }: Site): Promise<string | null> {
  const { callback } = await signInUpToCallback(origin, "github", { email: "meanwhile@people.example" });
  const returned = await redirectTarget(callback);
  expect(returned.origin).toBe(origin);
  return returned.searchParams.get("error");
}
