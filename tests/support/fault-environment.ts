import { expect } from "vitest";
import { inventReviewers, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type AccountsSite, openAccountsSite, startAccountsSite } from "./accounts.ts";
import { startRelay } from "./database-relay.ts";
import { givenRefresh, givenShows } from "./given.ts";
import { openSite, type Site, startSite } from "./site.ts";
import { storedRows } from "./stored.ts";

/** Signed-in reviewers, and a site that uses its database through a relay, which a test can interrupt. */
export type FaultEnvironment = Awaited<ReturnType<typeof createFaultEnvironment>>;

/** In the test's process, with the shows `show-1` to `show-45` and reviewers for one test. */
export const openFaultEnvironment = (database: Database) =>
  createFaultEnvironment(database, openAccountsSite, openSite);

/** Each server has its own process, so that its times are not the test's. */
export const startFaultEnvironment = (database: Database) =>
  createFaultEnvironment(database, startAccountsSite, startSite);

type Open<Opened> = (variables: Record<string, string>) => Promise<Opened>;

async function createFaultEnvironment(database: Database, openFirst: Open<AccountsSite>, open: Open<Site>) {
  await using starting = new AsyncDisposableStack();
  starting.defer(database.close);
  await givenRefresh(database.db);
  await givenShows(database.db, 45);
  const relay = await startRelay(database.url);
  starting.defer(relay.close);
  const accounts = await openFirst({ DATABASE_URL: relay.url });
  starting.defer(accounts.close);
  const reviewers = await inventReviewers(database.db, accounts.site.origin, 500);
  const started = starting.move();
  return {
    database,
    relay,
    accounts,
    site: accounts.site,
    async startSecondSite() {
      const second = await open({ ...accounts.variables, DATABASE_URL: database.url });
      started.defer(async () => void (await second.stop()));
      return second;
    },
    newReviewer: () => reviewers.pop() ?? expect.fail("No reviewer is left"),
    close: () => started.disposeAsync(),
  };
}

export type SubmittedReview = Awaited<ReturnType<typeof submitReview>>;

/** In ms. The client's timeout: longer than any response may take, also on a busy machine. */
const CLIENT_TIMEOUT = 30_000;

export async function submitReview({ origin }: Site, reviewer: Reviewer, showId = "show-1", notes = "Loud") {
  const start = performance.now();
  const review = { show_id: showId, audience_interaction: "yes", notes };
  const outcome = await sendReview(origin, reviewer, review, AbortSignal.timeout(CLIENT_TIMEOUT)).then(
    async (response) => [response.status, (await response.json()).code].filter(Boolean).join(" "),
    (error: Error) => error.message,
  );
  return { reviewer, showId, outcome, duration: performance.now() - start };
}

export const isAcknowledged = ({ outcome }: SubmittedReview) => outcome === "200";

export const slowest = (sent: readonly SubmittedReview[]) =>
  Math.max(...sent.map(({ duration }) => duration));

export async function expectOnlyAcknowledgedStored({ db }: Database, sent: readonly SubmittedReview[]) {
  const keyOf = ({ reviewer, showId }: SubmittedReview) => `${reviewer.id} ${showId}`;
  const unconfirmed = sent.filter(({ outcome }) => outcome === "503 unconfirmed").map(keyOf);
  const rows = await storedRows(db, "reviews", ["user_id", "show_id"]);
  const stored = rows.map(({ user_id, show_id }) => `${user_id} ${show_id}`);
  const certain = stored.filter((key) => !unconfirmed.includes(key));
  expect(certain.sort()).toEqual(sent.filter(isAcknowledged).map(keyOf).sort());
}

/** About reviews, the log has only warnings with a reason. A fast machine may store all reviews. */
export function expectRefusalsLogged({ log }: Site, sent: readonly SubmittedReview[]): void {
  const refused = sent.filter((review) => !isAcknowledged(review));
  for (const { outcome } of refused) expect(outcome).toMatch(/^503 (unavailable|unconfirmed)$/);
  const lines = log.filter((line) => line.includes('"path":"/api/reviews"')).map((line) => JSON.parse(line));
  for (const line of lines)
    expect(line).toMatchObject({ level: 40, status: 503, reason: expect.any(String) });
  expect(lines.length > 0).toBe(refused.length > 0);
}
