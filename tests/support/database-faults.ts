import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, vi } from "vitest";
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
import { readFirstPage } from "./read-list.ts";
import { lists, startReads } from "./reads.ts";
import type { Site } from "./site.ts";

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

export async function writeDuringLatency(environment: FaultEnvironment, latency: number) {
  const { site, relay, newReviewer } = environment;
  const before = await submitReview(site, newReviewer(), "show-2");
  return survive(environment, [before], async () => {
    relay.delay(latency);
    const sent = await Promise.all([1, 2, 3].map(() => submitReview(site, newReviewer())));
    relay.delay(0);
    return sent;
  });
}

export function writeDuringTableLock(environment: FaultEnvironment, table: string) {
  const { site, database, newReviewer } = environment;
  return survive(environment, [], async () => {
    const lock = await database.db.startTransaction().execute();
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(lock);
    const sent = await Promise.all(Array.from({ length: 30 }, () => submitReview(site, newReviewer())));
    await lock.rollback().execute();
    expect(sent.some(isAcknowledged)).toBe(false);
    return [...sent, await submitReview(site, newReviewer())];
  });
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
