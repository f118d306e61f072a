import { expect, test } from "vitest";
import { surviveOutage, writeDuringLatency, writeDuringTableLock } from "../support/database-faults.ts";
import { type FaultEnvironment, startFaultEnvironment, submitReview } from "../support/fault-environment.ts";
import { givenDeleted } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { expectWithin, printFigure } from "../support/print-figure.ts";
import { startReads } from "../support/reads.ts";

const MINUTE = 60_000;
const DEADLINE = 10_000;

/** The longest pauses, in ms: between two attempts to subscribe, and until a lost connection is noticed. */
const RECOVERY = 30_000;

async function compare<Result extends Awaited<ReturnType<typeof writeDuringLatency>>>(
  what: string,
  fault: (environment: FaultEnvironment) => Promise<Result>,
) {
  await using running = new AsyncDisposableStack();
  const environment = await startFaultEnvironment(await createTestDatabase());
  running.defer(environment.close);
  const quiet = await measureQuiet(environment);
  const result = await fault(environment);
  const writes = { quiet: quiet.write, factor: 20, limit: DEADLINE };
  printFigure(`${what}, reads`, result.reads, "responses");
  printFigure(`${what}, answered writes`, result.writes.length, "responses");
  expectWithin(`${what}, slowest write`, result.slowestWrite, writes);
  expectWithin(`${what}, slowest read`, result.slowestRead, { quiet: quiet.read, factor: 10 });
  return { ...result, recovery: { ...writes, limit: RECOVERY } };
}

test.for([
  ["stopped", "cut"],
  ["unavailable", "isolate"],
] as const)("recovers after the database was %s for a minute", async ([state, how]) => {
  const what = `database ${state} for a minute`;
  const outage = await compare(what, (environment) => surviveOutage(environment, how, MINUTE));
  const { shownAfter, writtenAfter, recovery } = outage;
  expectWithin(`${what}, from restore to another server's review shown`, shownAfter, recovery);
  expectWithin(`${what}, from restore to a stored review`, writtenAfter, recovery);
});

test.for([500, 900, 1_500, 3_000])(
  "stores or refuses reviews in time while the database's responses take %i ms longer",
  async (latency) => {
    await compare(`database slower by ${latency} ms`, (site) => writeDuringLatency(site, latency));
  },
);

test.for(["review_limits", "sessions", "reviews", "tallies"])(
  "refuses reviews in time while all connections wait for a lock on %s",
  async (table) => {
    const what = `all connections wait for a lock on ${table}`;
    await compare(what, (environment) => writeDuringTableLock(environment, table));
  },
);

async function measureQuiet({ site, database, newReviewer }: FaultEnvironment) {
  const reads = startReads(site.origin);
  const durations: number[] = [];
  for (let sent = 0; sent < 50; sent++) {
    const { outcome, duration } = await submitReview(site, newReviewer(), "show-45");
    expect(outcome).toBe("200");
    durations.push(duration);
  }
  const { times } = await reads.stop();
  await givenDeleted(database.db, "reviews");
  return { read: Math.max(...times), write: Math.max(...durations) };
}
