import { test } from "vitest";
import { startFaultEnvironment } from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { surviveOutage } from "../support/survive-outage.ts";
import { expectWithin, measureQuiet } from "./quiet-ratio.ts";

const MINUTE = 60_000;

/** The time after which a review is refused, in ms. */
const DEADLINE = 10_000;

/** The longest pauses, in ms: between two attempts to hear of changes, until a lost connection is noticed. */
const RECOVERY = 30_000;

test.for([
  ["stopped", "cut"],
  ["unreachable", "isolate"],
] as const)("recovers after the database was %s for a minute", async ([state, how]) => {
  await using running = new AsyncDisposableStack();
  const environment = await startFaultEnvironment(await createTestDatabase());
  running.defer(environment.close);
  const quiet = await measureQuiet(environment);
  const outage = await surviveOutage(environment, how, MINUTE);
  const name = (what: string) => `database ${state} for a minute, ${what}`;
  printFigure(name("successful reads"), outage.reads, "responses");
  printFigure(name("refused writes"), outage.refusals, "responses");
  const writes = { quiet: quiet.write, factor: 20 };
  expectWithin(name("slowest read"), outage.slowestRead, { quiet: quiet.read, factor: 10 });
  expectWithin(name("slowest refusal"), outage.slowestRefusal, { ...writes, limit: DEADLINE });
  const recovery = { ...writes, limit: RECOVERY };
  expectWithin(name("from restore to another server's review shown"), outage.shownAfter, recovery);
  expectWithin(name("from restore to a stored review"), outage.writtenAfter, recovery);
});
