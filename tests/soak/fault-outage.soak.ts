import { expect, test } from "vitest";
import { startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { surviveOutage } from "../support/survive-outage.ts";

const MINUTE = 60_000;

test.for([
  ["away", "cut"],
  ["silent", "isolate"],
] as const)("the database is %s for a minute", async ([state, how]) => {
  const environment = await startFaultEnvironment(await createTestDatabase());
  const outage = await surviveOutage(environment, how, MINUTE).finally(environment.close);
  const say = (name: string, value: number, unit: string) =>
    printFigure(`database ${state} for a minute, ${name}`, value, unit);
  say("pages and lists read meanwhile", outage.reads, "answers");
  say("slowest of them", outage.slowestRead, "ms");
  say("writes refused meanwhile", outage.refusals, "answers");
  say("slowest of them", outage.slowestRefusal, "ms");
  say("back until another server's review shows", outage.shownAfter, "ms");
  say("back until a review can be written", outage.writtenAfter, "ms");
  expect(outage.slowestRead).toBeLessThan(1_000);
  expect(outage.slowestRefusal).toBeLessThan(11_000);
  expect(outage.shownAfter).toBeLessThan(60_000);
  expect(outage.writtenAfter).toBeLessThan(60_000);
});
