import { expect, test } from "vitest";
import { startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { surviveOutage } from "../support/survive-outage.ts";

const MINUTE = 60_000;

test.for([
  ["stopped", "cut"],
  ["unreachable", "isolate"],
] as const)("recovers after the database was %s for a minute", async ([state, how]) => {
  const environment = await startFaultEnvironment(await createTestDatabase());
  const outage = await surviveOutage(environment, how, MINUTE).finally(environment.close);
  const print = (name: string, value: number, unit: string) =>
    printFigure(`database ${state} for a minute, ${name}`, value, unit);
  print("successful reads", outage.reads, "responses");
  print("slowest read", outage.slowestRead, "ms");
  print("refused writes", outage.refusals, "responses");
  print("slowest refusal", outage.slowestRefusal, "ms");
  print("from restore to another server's review shown", outage.shownAfter, "ms");
  print("from restore to a stored review", outage.writtenAfter, "ms");
  expect(outage.slowestRead).toBeLessThan(1_000);
  expect(outage.slowestRefusal).toBeLessThan(11_000);
  expect(outage.shownAfter).toBeLessThan(60_000);
  expect(outage.writtenAfter).toBeLessThan(60_000);
});
