import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, vi } from "vitest";
import { type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { strayRejection } from "../../src/server/stray-rejections.server.ts";
import { redirectTarget, signIn, signInUpToCallback } from "./accounts.ts";
import {
  expectOnlyAcknowledgedStored,
  expectRefusalsLogged,
  type FaultEnvironment,
  isAcknowledged,
  type SubmittedReview,
  slowest,
  submitReview,
} from "./fault-environment.ts";
import { authRequests } from "./fuzz/auth-requests.ts";
import { createSender, draftRequest, type RequestDraft } from "./fuzz/request.ts";
import { siteRequests } from "./fuzz/site-requests.ts";
import { givenReviews } from "./given.ts";
import { readFirstPage } from "./read-list.ts";
import { lists, startReads } from "./reads.ts";
import type { Site } from "./site.ts";
import { cancelLockWaiters } from "./stored.ts";

const polling = { timeout: 120_000, interval: 100 };

/**
 * Reads while `fault` breaks the database, writes, and repairs it. Expects that all reads succeed, that a review can
 * be written afterwards, and that exactly the acknowledged reviews are stored, with those of `others`. Returns the
 * reads, the reviews sent meanwhile, and the slowest of these, in ms.
 */
async function survive(
  { site, database, newReviewer }: FaultEnvironment,
  others: SubmittedReview[],
  fault: () => Promise<SubmittedReview[]>,
  addresses: readonly string[] = [],
) {
  const reads = startReads(site.origin, { addresses: [...lists, ...addresses] });
  const writes = await fault();
  const { failures, times } = await reads.stop();
  expect(failures).toEqual([]);
  // Refused reviews must have had the time to be stored.
  const busy = sql`select from pg_stat_activity where application_name = 'front-row'
    and datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  await vi.waitUntil(async () => (await busy.execute(database.db)).rows.length === 0, polling);
  const after = await submitReview(site, newReviewer());
  expect(after.outcome).toBe("200");
  await expectOnlyAcknowledgedStored(database, [...others, ...writes, after]);
  expectRefusalsLogged(site, writes);
  return { reads: times.length, slowestRead: Math.max(...times), writes, slowestWrite: slowest(writes) };
}

export async function surviveOutage(environment: FaultEnvironment, how: "cut" | "isolate", outageMs: number) {
  const { site, relay, newReviewer } = environment;
  const second = await environment.startSecondSite();
  const others: SubmittedReview[] = [];
  const writeAtSecond = async (showId: string) =>
    others.push(await submitReview(second, newReviewer(), showId));
  const isListed = async (id: string) =>
    (await readFirstPage(site)).some((show) => show.id === id && show.reviews?.yes === 1);
  const untilListed = (id: string) => vi.waitUntil(() => isListed(id), polling);
  await writeAtSecond("show-1");
  await untilListed("show-1");
  // All notifications have arrived, so that these notes stay in the cache.
  const notes = "/api/reviews?show_id=show-40";
  expect((await site.api(notes)).status).toBe(200);
  await untilReady(site, "up");
  const recovery = { shownAfter: 0, writtenAfter: 0 };
  const result = await survive(
    environment,
    others,
    async () => {
      const sent: SubmittedReview[] = [];
      relay[how]();
      const start = performance.now();
      await writeAtSecond("show-2");
      do {
        const [review, error, { status }] = await Promise.all([
          submitReview(site, newReviewer()),
          signInError(site),
          site.api("/api/reviews?show_id=show-41"),
        ]);
        expect([review.outcome, error, status]).toEqual(["503 unavailable", "server_error", 503]);
        sent.push(review);
        await untilReady(site, "down");
        await pause(500);
      } while (performance.now() - start < outageMs);
      relay.restore();
      const restored = performance.now();
      const isWritten = async () =>
        isAcknowledged(
          others[others.push(await submitReview(site, newReviewer(), "show-4")) - 1] ?? expect.fail(),
        );
      await Promise.all([
        untilListed("show-2").then(() => (recovery.shownAfter = performance.now() - restored)),
        vi.waitUntil(isWritten, polling).then(() => (recovery.writtenAfter = performance.now() - restored)),
      ]);
      return sent;
    },
    [notes],
  );
  await untilReady(site, "up");
  await signIn(site.origin, "github", { email: "afterwards@people.example" });
  await writeAtSecond("show-3");
  await untilListed("show-3");
  return { ...result, ...recovery };
}

/** One of each kind that has its own way to a show's notes. */
const aboutNotes = (id: string, reviewer: Reviewer): RequestDraft[] => [
  draftRequest("GET", `/?show=${id}`, { Accept: "text/html" }),
  draftRequest("GET", `/?show=${id}&notes=yes`, { Accept: "text/html" }),
  draftRequest("GET", `/api/reviews?show_id=${id}`, { apikey: "front-row-public" }),
  draftRequest("GET", `/api/reviews?show_id=${id}&show_id=show-45`, { apikey: "front-row-public" }),
  draftRequest("GET", `/api/reviews?show_id=${id}&answer=yes&page=1`, { apikey: "front-row-public" }),
  draftRequest("PUT", "/api/reviews", reviewHeaders(reviewer), {
    ...{ user_id: reviewer.id, show_id: id, audience_interaction: "no", notes: null },
  }),
];

/** Each breaks the queries of requests until these are answered. */
export const queryFaults = {
  /** As in a restart of the database. */
  async stops({ relay }: FaultEnvironment, sendAll: () => Promise<void>) {
    relay.cut();
    await sendAll();
    relay.restore();
  },
  async "loses connections at random"({ relay }: FaultEnvironment, sendAll: () => Promise<void>) {
    relay.delay(5);
    await whilePending(sendAll(), async () => relay.cutSome());
    relay.delay(0);
  },
  async "cancels queries that wait for a lock"(
    { database: { db } }: FaultEnvironment,
    sendAll: () => Promise<void>,
  ) {
    const lock = await db.startTransaction().execute();
    await sql`lock table reviews in access exclusive mode`.execute(lock);
    await whilePending(sendAll(), () => cancelLockWaiters(db));
    await vi.waitUntil(async () => (await cancelLockWaiters(db)) === 0, polling);
    await lock.rollback().execute();
  },
};

async function whilePending(work: Promise<void>, act: () => Promise<unknown>): Promise<void> {
  let isPending = true;
  const ended = work.finally(() => (isPending = false));
  while (isPending) {
    await act();
    await pause(50);
  }
  await ended;
}

/** Sends every kind of request, and every one about notes, after the notes were cached. */
export async function answerDuring(
  environment: FaultEnvironment,
  fault: (environment: FaultEnvironment, sendAll: () => Promise<void>) => Promise<void>,
) {
  const { site, accounts, database, newReviewer } = environment;
  const sender = createSender(site.origin, 100);
  const shows = Array.from({ length: 5 }, (_, index) => `show-${index + 1}`);
  const noted = shows.map((show_id) => ({ show_id, notes: "Loud" }));
  await givenReviews(database.db, noted);
  const drafts = shows.flatMap((show) => aboutNotes(show, newReviewer()));
  const others = [
    ...(await siteRequests(site.origin, newReviewer(), ["show-40", "show-41"])),
    ...(await authRequests(database.db, accounts)),
  ];
  const statusOf = async (request: RequestDraft) => (await sender.send(request)).status;
  // One after the other: the site may refuse many at once.
  for (const draft of drafts) expect(await statusOf(draft)).toBe(200);
  await fault(environment, async () => {
    const statuses = await Promise.all([...drafts, ...others].map(statusOf));
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
  });
  await vi.waitUntil(async () => isAcknowledged(await submitReview(site, newReviewer())), polling);
  for (const draft of drafts) expect(await statusOf(draft)).toBe(200);
  expect(site.log.filter((line) => line.includes(strayRejection))).toEqual([]);
  sender.close();
}

function untilReady({ origin }: Site, database: "up" | "down") {
  const isReady = async () => {
    const response = await fetch(`${origin}/readyz`);
    return response.ok && (await response.json()).database === database;
  };
  return vi.waitUntil(isReady, polling);
}

async function signInError({ origin }: Site): Promise<string | null> {
  const { callback } = await signInUpToCallback(origin, "github", { email: "meanwhile@people.example" });
  const returned = await redirectTarget(callback);
  expect(returned.origin).toBe(origin);
  return returned.searchParams.get("error");
}
