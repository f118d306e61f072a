import { setTimeout as pause } from "node:timers/promises";
import { expect, vi } from "vitest";
import { beginSignIn, leadsTo, signIn } from "./accounts.ts";
import { keepBrowsing } from "./browsing.ts";
import {
  countShown,
  expectForeseen,
  expectStored,
  type FaultWorld,
  isSaved,
  readyz,
  type Sent,
  send,
  untilQuiet,
} from "./fault-world.ts";
import type { Site } from "./site.ts";

/** How a site came through an outage, times in ms. */
export interface Outage {
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
export async function goThroughOutage(world: FaultWorld, how: "cut" | "isolate", lasts: number): Promise<Outage> {
  const { site, way, database } = world;
  const other = await world.startOther();
  const sent = [await send(other, world.someone(), "show-01")];
  await vi.waitUntil(async () => (await countShown(site, "show-01")) === 1, patiently);
  // Whatever the server has to hear of has been heard: these notes it keeps from now on.
  expect((await site.api("/api/reviews?show_id=show-40")).status).toBe(200);
  await vi.waitUntil(async () => (await readyz(site)) === "200 up", patiently);

  const browsing = keepBrowsing(site, ["show-40"]);
  way[how]();
  const gone = performance.now();
  const refused: Sent[] = [];
  sent.push(await send(other, world.someone(), "show-02"));
  do {
    const [review, error] = await Promise.all([send(site, world.someone()), signInError(site)]);
    expect([review.outcome, error]).toEqual(["503 unavailable", "server_error"]);
    await vi.waitUntil(async () => (await readyz(site)) === "200 down", patiently);
    refused.push(review);
    await pause(500);
  } while (performance.now() - gone < lasts);
  const { failures, answers, slowest } = await browsing.stop();
  expect(failures).toEqual([]);
  const later = keepBrowsing(site);

  way.restore();
  const back = performance.now();
  const writing = untilWritten(world, sent).then(() => performance.now() - back);
  await vi.waitUntil(async () => (await countShown(site, "show-02")) === 1, patiently);
  const shownAfter = performance.now() - back;
  const writtenAfter = await writing;
  await vi.waitUntil(async () => (await readyz(site)) === "200 up", patiently);
  await signIn(site.origin, "github", { email: "afterwards@people.example" });
  sent.push(await send(other, world.someone(), "show-03"));
  await vi.waitUntil(async () => (await countShown(site, "show-03")) === 1, { timeout: 10_000 });
  expect((await later.stop()).failures).toEqual([]);
  await untilQuiet(database);
  await expectStored(database, [...sent, ...refused]);
  expectForeseen(site, refused.length);
  return {
    reads: answers,
    slowestRead: slowest,
    refusals: refused.length,
    slowestRefusal: Math.max(...refused.map(({ took }) => took)),
    shownAfter,
    writtenAfter,
  };
}

async function untilWritten({ site, someone }: FaultWorld, sent: Sent[]): Promise<void> {
  const write = async () => {
    const review = await send(site, someone(), "show-04");
    sent.push(review);
    return isSaved(review);
  };
  await vi.waitUntil(write, patiently);
}

/** What a sign-in leads back to the page with, on its first step. */
async function signInError({ origin }: Site): Promise<string | null> {
  const returned = await leadsTo(beginSignIn(origin, "github").url);
  expect(returned.origin).toBe(origin);
  return returned.searchParams.get("error");
}
