import { expect, test } from "vitest";
import { startFaultWorld } from "../support/fault-world.ts";
import { figure } from "../support/figure.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type SlowDatabase, writeWhileLate, writeWhileStuck } from "../support/slow-database.ts";

function tell(what: string, { answers, slowestWrite, slowestRead }: SlowDatabase): void {
  figure(`${what}, writes answered`, answers, "answers");
  figure(`${what}, slowest of them`, slowestWrite, "ms");
  figure(`${what}, slowest page meanwhile`, slowestRead, "ms");
  expect(slowestWrite).toBeLessThan(11_000);
  expect(slowestRead).toBeLessThan(3_000);
}

test.for([500, 900, 1_500, 3_000])("the database answers %i ms late", async (late) => {
  const world = await startFaultWorld(await createTestDatabase());
  tell(`database ${late} ms late`, await writeWhileLate(world, late).finally(world.close));
});

test.for(["review_limits", "sessions", "reviews", "tallies"])("all connections wait for %s", async (table) => {
  const world = await startFaultWorld(await createTestDatabase());
  tell(`all connections wait for ${table}`, await writeWhileStuck(world, table).finally(world.close));
});
