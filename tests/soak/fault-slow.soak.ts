import { test } from "vitest";
import { type FaultEnvironment, startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import {
  type SlowDatabaseResult,
  writeDuringLatency,
  writeDuringTableLock,
} from "../support/write-to-slow-database.ts";
import { expectWithin, measureQuiet } from "./quiet-ratio.ts";

/** The time after which a review is refused, in ms. */
const DEADLINE = 10_000;

/** Measures writes and reads, first on a quiet database and then on one that `slowDown` has slowed down. */
async function compare(
  what: string,
  slowDown: (environment: FaultEnvironment) => Promise<SlowDatabaseResult>,
): Promise<void> {
  await using running = new AsyncDisposableStack();
  const environment = await startFaultEnvironment(await createTestDatabase());
  running.defer(environment.close);
  const quiet = await measureQuiet(environment);
  const { responses, slowestWrite, slowestRead } = await slowDown(environment);
  printFigure(`${what}, answered writes`, responses, "responses");
  expectWithin(`${what}, slowest write`, slowestWrite, { quiet: quiet.write, factor: 20, limit: DEADLINE });
  expectWithin(`${what}, slowest read`, slowestRead, { quiet: quiet.read, factor: 10 });
}

test.for([500, 900, 1_500, 3_000])(
  "stores or refuses reviews in time while the database's responses take %i ms longer",
  (latency) =>
    compare(`database slower by ${latency} ms`, (environment) => writeDuringLatency(environment, latency)),
);

test.for(["review_limits", "sessions", "reviews", "tallies"])(
  "refuses reviews in time while all connections wait for a lock on %s",
  (table) =>
    compare(`all connections wait for a lock on ${table}`, (environment) =>
      writeDuringTableLock(environment, table),
    ),
);
