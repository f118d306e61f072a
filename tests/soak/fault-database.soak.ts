import { expect, test } from "vitest";
import { surviveOutage } from "../support/database-faults.ts";
import { type FaultEnvironment, startFaultEnvironment, submitReview } from "../support/fault-environment.ts";
import { givenDeleted } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { expectWithin, printFigure } from "../support/print-figure.ts";
import { startReads } from "../support/reads.ts";

const MINUTE = 60_000;
const DEADLINE = 10_000;

/** The longest pauses, in ms: between two attempts to subscribe, and until a lost connection is noticed. */
const RECOVERY = 30_000;

test.for([
  ["stopped", "cut"],
  ["unavailable", "isolate"],
] as const)("recovers after the database was %s for a minute", async ([state, how]) => {
  await using running = new AsyncDisposableStack();
  const environment = await startFaultEnvironment(await createTestDatabase());
  running.defer(environment.close);
  const quiet = await measureQuiet(environment);
  const outage = await surviveOutage(environment, how, MINUTE);
  const what = `database ${state} for a minute`;
  const writes = { quiet: quiet.write, factor: 20, limit: DEADLINE };
  const recovery = { ...writes, limit: RECOVERY };
  printFigure(`${what}, reads`, outage.reads, "responses");
  printFigure(`${what}, answered writes`, outage.writes.length, "responses");
  expectWithin(`${what}, slowest write`, outage.slowestWrite, writes);
  expectWithin(`${what}, slowest read`, outage.slowestRead, { quiet: quiet.read, factor: 10 });
  expectWithin(`${what}, from restore to another server's review shown`, outage.shownAfter, recovery);
  expectWithin(`${what}, from restore to a stored review`, outage.writtenAfter, recovery);
});

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
