import { expect, test } from "vitest";
import { startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import {
  type SlowDatabaseResult,
  writeDuringLatency,
  writeDuringTableLock,
} from "../support/write-to-slow-database.ts";

function report(what: string, { responses, slowestWrite, slowestRead }: SlowDatabaseResult): void {
  printFigure(`${what}, answered writes`, responses, "responses");
  printFigure(`${what}, slowest write`, slowestWrite, "ms");
  printFigure(`${what}, slowest read`, slowestRead, "ms");
  expect(slowestWrite).toBeLessThan(11_000);
  expect(slowestRead).toBeLessThan(3_000);
}

test.for([500, 900, 1_500, 3_000])(
  "stores or refuses reviews in time while the database's responses take %i ms longer",
  async (latency) => {
    const environment = await startFaultEnvironment(await createTestDatabase());
    report(
      `database slower by ${latency} ms`,
      await writeDuringLatency(environment, latency).finally(environment.close),
    );
  },
);

test.for(["review_limits", "sessions", "reviews", "tallies"])(
  "refuses reviews in time while all connections wait for a lock on %s",
  async (table) => {
    const environment = await startFaultEnvironment(await createTestDatabase());
    report(
      `all connections wait for a lock on ${table}`,
      await writeDuringTableLock(environment, table).finally(environment.close),
    );
  },
);
