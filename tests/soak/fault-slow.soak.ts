import { expect, test } from "vitest";
import { startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import {
  type SlowDatabaseResult,
  writeDuringLatency,
  writeDuringTableLock,
} from "../support/write-to-slow-database.ts";

function tell(what: string, { responses, slowestWrite, slowestRead }: SlowDatabaseResult): void {
  printFigure(`${what}, writes answered`, responses, "answers");
  printFigure(`${what}, slowest of them`, slowestWrite, "ms");
  printFigure(`${what}, slowest page meanwhile`, slowestRead, "ms");
  expect(slowestWrite).toBeLessThan(11_000);
  expect(slowestRead).toBeLessThan(3_000);
}

test.for([500, 900, 1_500, 3_000])("the database answers %i ms late", async (late) => {
  const environment = await startFaultEnvironment(await createTestDatabase());
  tell(`database ${late} ms late`, await writeDuringLatency(environment, late).finally(environment.close));
});

test.for(["review_limits", "sessions", "reviews", "tallies"])("all connections wait for %s", async (table) => {
  const environment = await startFaultEnvironment(await createTestDatabase());
  tell(`all connections wait for ${table}`, await writeDuringTableLock(environment, table).finally(environment.close));
});
