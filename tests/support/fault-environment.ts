import { sql } from "kysely";
import { expect, vi } from "vitest";
import { z } from "zod";
import { inventReviewers, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { showPage } from "../../src/domain/show.ts";
import { type AccountsSite, openAccountsSite, startAccountsSite } from "./accounts.ts";
import { type Relay, startRelay } from "./database-relay.ts";
import { givenRefresh, givenShows } from "./given.ts";
import { openSite, type Site, startSite } from "./site.ts";

/** A site that reaches its database through a relay, which a test can interrupt, and signed-in reviewers. */
export interface FaultEnvironment {
  database: Database;
  relay: Relay;
  accounts: AccountsSite;
  site: Site;
  /** Starts a second server of the site that does not use the relay. */
  startSecondSite(): Promise<Site>;
  /** A reviewer who has not written yet, so that no write limit applies. */
  newReviewer(): Reviewer;
  close(): Promise<void>;
}

/** Opens one in the test's process, with the shows `show-01` to `show-45` and reviewers for one test. */
export const openFaultEnvironment = (database: Database) =>
  createFaultEnvironment(database, openAccountsSite, openSite);

/** The same with each server in a process of its own, so that its times are its own. */
export const startFaultEnvironment = (database: Database) =>
  createFaultEnvironment(database, startAccountsSite, startSite);

type Open<Opened> = (variables: Record<string, string>) => Promise<Opened>;

async function createFaultEnvironment(
  database: Database,
  openAccounts: Open<AccountsSite>,
  open: Open<Site>,
): Promise<FaultEnvironment> {
  await using starting = new AsyncDisposableStack();
  starting.defer(database.close);
  await givenRefresh(database.db);
  const numbers = Array.from({ length: 45 }, (_, index) => String(index + 1).padStart(2, "0"));
  await givenShows(
    database.db,
    numbers.map((number) => ({ id: `show-${number}`, title: `Show ${number}` })),
  );
  const relay = await startRelay(database.url);
  starting.defer(relay.close);
  const accounts = await openAccounts({ DATABASE_URL: relay.url });
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

/** A review that was sent, with its outcome and response time (ms). */
export interface SubmittedReview {
  reviewer: Reviewer;
  showId: string;
  /** Status and error code, such as `200` or `503 unavailable`. */
  outcome: string;
  duration: number;
}

/** The client's timeout, in ms: longer than any response may take, also on a busy machine. */
const CLIENT_TIMEOUT = 30_000;

/** Sends a review of a show that this reviewer has not reviewed; resolves with its outcome. */
export async function submitReview(
  { origin }: Site,
  reviewer: Reviewer,
  showId = "show-01",
  notes = "As it was",
): Promise<SubmittedReview> {
  const start = performance.now();
  const review = { show_id: showId, audience_interaction: "yes", notes };
  const outcome = await sendReview(origin, reviewer, review, AbortSignal.timeout(CLIENT_TIMEOUT)).then(
    async (response) => [response.status, (await response.json()).code].filter(Boolean).join(" "),
    (error: Error) => error.message,
  );
  return { reviewer, showId, outcome, duration: performance.now() - start };
}

export const isAcknowledged = ({ outcome }: SubmittedReview) => outcome === "200";

/** Expects that all acknowledged reviews are stored, and no others but those whose outcome is unknown. */
export async function expectOnlyAcknowledgedStored(
  database: Database,
  sent: readonly SubmittedReview[],
): Promise<void> {
  const { rows } = await sql<{ key: string }>`select user_id || ' ' || show_id as key from reviews`.execute(
    database.db,
  );
  const keysOf = (reviews: readonly SubmittedReview[]) =>
    reviews.map(({ reviewer, showId }) => `${reviewer.id} ${showId}`);
  const unconfirmed = new Set(keysOf(sent.filter(({ outcome }) => outcome === "503 unconfirmed")));
  const stored = rows.map(({ key }) => key).filter((key) => !unconfirmed.has(key));
  expect(stored.sort()).toEqual(keysOf(sent.filter(isAcknowledged)).sort());
}

/**
 * Expects that the log has warnings with a reason if any of the reviews was refused, and nothing else about
 * reviews. A quick machine may store all of them.
 */
export function expectRefusalsLogged({ log }: Site, sent: readonly SubmittedReview[]): void {
  const lines = log.filter((line) => line.includes('"path":"/api/reviews"')).map((line) => JSON.parse(line));
  for (const line of lines)
    expect(line).toMatchObject({ level: 40, status: 503, reason: expect.any(String) });
  expect(lines.length > 0).toBe(!sent.every(isAcknowledged));
}

/** Waits until none of the site's database connections is in use. */
export async function waitUntilDatabaseIdle(database: Database): Promise<void> {
  const busy = sql`select from pg_stat_activity
    where application_name = 'front-row' and datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  // Not expect.poll, which does not work in concurrent tests.
  await vi.waitUntil(async () => (await busy.execute(database.db)).rows.length === 0, {
    timeout: 60_000,
    interval: 100,
  });
}

const readiness = z.object({ database: z.enum(["up", "down"]), shows: z.number() });

/** Status and database state of `/readyz`, such as `200 up`. */
export async function readReadiness({ origin }: Site): Promise<string> {
  const response = await fetch(`${origin}/readyz`);
  return `${response.status} ${readiness.parse(await response.json()).database}`;
}

/** The number of reviews that a server's list shows for a show. */
export async function countListedReviews({ api }: Site, showId: string): Promise<number> {
  const pages = await Promise.all(
    [1, 2, 3].map(async (page) => (await api(`/api/shows?page=${page}`)).json()),
  );
  const shows = pages.flatMap((page) => showPage.parse(page).shows);
  const { no, very_little, yes } =
    shows.find(({ id }) => id === showId)?.reviews ?? expect.fail(`${showId} is not listed`);
  return no + very_little + yes;
}
