import { sql } from "kysely";
import { expect, vi } from "vitest";
import { z } from "zod";
import { inventReviewers, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { showPage } from "../../src/domain/show.ts";
import { type AccountsSite, startAccountsSite } from "./accounts.ts";
import { type Relay, startRelay } from "./database-relay.ts";
import { recordRecentRefresh, type Site, startSite } from "./site.ts";

/** A site whose way to the database can fail, and people who review there. */
export interface FaultEnvironment {
  database: Database;
  relay: Relay;
  accounts: AccountsSite;
  site: Site;
  /** Another server of the site whose way to the database is another. */
  startSecondSite(): Promise<Site>;
  /** Somebody who has not written yet: nobody's limits matter. */
  newReviewer(): Reviewer;
  close(): Promise<void>;
}

/** Shows `show-01` to `show-45`, and as many people as one test needs. */
export async function startFaultEnvironment(database: Database): Promise<FaultEnvironment> {
  await using starting = new AsyncDisposableStack();
  starting.defer(database.close);
  await recordRecentRefresh(database.db);
  await sql`insert into shows (id, title, year, status)
    select 'show-' || to_char(n, 'FM00'), 'Show ' || to_char(n, 'FM00'), 2025, 'active' from generate_series(1, 45) n`.execute(
    database.db,
  );
  const relay = await startRelay(database.url);
  starting.defer(relay.close);
  const accounts = await startAccountsSite(relay.url);
  starting.defer(accounts.close);
  const reviewers = await inventReviewers(database.db, accounts.site.origin, 500);
  const started = starting.move();
  return {
    database,
    relay,
    accounts,
    site: accounts.site,
    async startSecondSite() {
      const other = await startSite({ ...accounts.variables, DATABASE_URL: database.url });
      started.defer(async () => void (await other.stop()));
      return other;
    },
    newReviewer: () => reviewers.pop() ?? expect.fail("Nobody is left who has not written"),
    close: () => started.disposeAsync(),
  };
}

/** What became of a review that was sent, and how long that took, in ms. */
export interface SubmittedReview {
  reviewer: Reviewer;
  showId: string;
  /** As in `200` or `503 unavailable`. */
  outcome: string;
  duration: number;
}

/** No answer for this long is none, in ms: more than any answer may take, busy as the machine may be. */
const NEVER = 30_000;

/** Sends a review that nobody sent before, and waits for what becomes of it. */
export async function submitReview(
  { origin }: Site,
  reviewer: Reviewer,
  showId = "show-01",
  notes = "As it was",
): Promise<SubmittedReview> {
  const began = performance.now();
  const review = { show_id: showId, audience_interaction: "yes", notes };
  const outcome = await sendReview(origin, reviewer, review, AbortSignal.timeout(NEVER)).then(
    async (answer) => [answer.status, (await answer.json()).code].filter(Boolean).join(" "),
    (error: Error) => error.message,
  );
  return { reviewer, showId, outcome, duration: performance.now() - began };
}

export const isAcknowledged = ({ outcome }: SubmittedReview) => outcome === "200";

/** Nothing that was answered as failed is stored, and everything that was acknowledged is. */
export async function expectOnlyAcknowledgedStored(
  database: Database,
  sent: readonly SubmittedReview[],
): Promise<void> {
  const { rows } = await sql<{ key: string }>`select user_id || ' ' || show_id as key from reviews`.execute(
    database.db,
  );
  const saved = sent.filter(isAcknowledged).map(({ reviewer, showId }) => `${reviewer.id} ${showId}`);
  expect(rows.map(({ key }) => key).sort()).toEqual(saved.sort());
}

/** At least so many writes were refused, each with a line in the log that says why, and none as a mistake of ours, which has its place told. */
export function expectRefusalsLogged({ log }: Site, refusals: number): void {
  const lines = log.filter((line) => line.includes('"path":"/api/reviews"')).map((line) => JSON.parse(line));
  for (const line of lines) expect(line).toMatchObject({ level: 40, status: 503, reason: expect.any(String) });
  expect(lines.length).toBeGreaterThanOrEqual(refusals);
}

/** Waits until no connection of the site's is doing anything, nor about to. */
export async function waitUntilDatabaseIdle(database: Database): Promise<void> {
  const busy = sql`select from pg_stat_activity
    where application_name = 'front-row' and datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  // Not expect.poll: this is also for tests that run at the same time.
  await vi.waitUntil(async () => (await busy.execute(database.db)).rows.length === 0, {
    timeout: 60_000,
    interval: 100,
  });
}

const readiness = z.object({ database: z.enum(["up", "down"]), shows: z.number() });

/** What `/readyz` answers: the status, and whether the database is there. */
export async function readReadiness({ origin }: Site): Promise<string> {
  const answer = await fetch(`${origin}/readyz`);
  return `${answer.status} ${readiness.parse(await answer.json()).database}`;
}

/** How many reviews a server's list shows of a show. */
export async function countListedReviews({ api }: Site, showId: string): Promise<number> {
  const pages = await Promise.all([1, 2, 3].map(async (page) => (await api(`/api/shows?page=${page}`)).json()));
  const shows = pages.flatMap((page) => showPage.parse(page).shows);
  const { no, very_little, yes } =
    shows.find(({ id }) => id === showId)?.reviews ?? expect.fail(`${showId} is not there`);
  return no + very_little + yes;
}
