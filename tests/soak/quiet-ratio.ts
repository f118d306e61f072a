import { sql } from "kysely";
import { expect } from "vitest";
import { startBackgroundReads } from "../support/background-reads.ts";
import { type FaultEnvironment, submitReview } from "../support/fault-environment.ts";
import { printFigure } from "../support/print-figure.ts";

interface Bound {
  /** The same time on a quiet server, in this run. */
  quiet: number;
  factor: number;
  /** A time limit of the site itself, equal on every machine. */
  limit?: number;
}

/** Prints both times, in ms. Expects `time` to be at most `limit` plus `factor` times the quiet one. */
export function expectWithin(name: string, time: number, { quiet, factor, limit = 0 }: Bound): void {
  printFigure(`${name}, quiet`, quiet, "ms");
  printFigure(name, time, "ms");
  expect(time, name).toBeLessThanOrEqual(limit + factor * quiet);
}

export async function measureQuiet({ site, database, newReviewer }: FaultEnvironment) {
  const reads = startBackgroundReads(site);
  const durations: number[] = [];
  for (let sent = 0; sent < 50; sent++) {
    const { outcome, duration } = await submitReview(site, newReviewer(), "show-45");
    expect(outcome).toBe("200");
    durations.push(duration);
  }
  const { slowest } = await reads.stop();
  await sql`delete from reviews`.execute(database.db);
  return { read: slowest, write: Math.max(...durations) };
}
