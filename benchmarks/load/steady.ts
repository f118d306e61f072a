import { setTimeout as wait } from "node:timers/promises";
import { askOnce, createOutcome, refusedPart } from "./ask.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Load, Paths } from "./loads.ts";

/** In ms. */
export interface Latency {
  p50: number;
  p99: number;
}

/** How long answers took, and the part of the requests that was refused. */
export interface Steady extends Latency {
  refused: number;
}

/** Enough for requests to be sent when they are due, whatever the server is busy with. */
const CONNECTIONS = 64;

/**
 * Clears up what earlier measurements have left in this process: it would be collected in the middle of this one, in turns of 10 ms, and always
 * that of whoever is measured first.
 */
function collectGarbage(): void {
  if (!globalThis.gc) throw new Error("The benchmarks run with --expose-gc");
  globalThis.gc();
}

/**
 * Asks at a steady rate, whether or not earlier requests have been answered, as independent visitors do. A request that
 * finds no free connection counts from when it was due, so that a server that stalls is not spared the requests of that time.
 * @param rate requests a second
 */
export async function askSteadily(
  origin: string,
  load: Load,
  next: Paths,
  rate: number,
  seconds: number,
): Promise<Steady> {
  const outcome = createOutcome();
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(origin, load.headers));
  const free = [...connections];
  /** When those were due that found no free connection. */
  const late: number[] = [];
  const failures: unknown[] = [];
  collectGarbage();

  async function ask(connection: Connection, since: number): Promise<void> {
    for (let from: number | undefined = since; from !== undefined; from = late.shift()) {
      await askOnce(connection, load, next, outcome, from);
    }
    free.push(connection);
  }

  const began = performance.now();
  const dueAt = (turn: number) => began + (turn / rate) * 1000;
  for (let turn = 0; turn < rate * seconds; await wait(1)) {
    const now = performance.now();
    for (; turn < rate * seconds && dueAt(turn) <= now; turn++) {
      const connection = free.pop();
      if (connection) ask(connection, now).catch((failure) => failures.push(failure));
      else late.push(dueAt(turn));
    }
  }
  // No promise is kept: thousands of them would hold up the next requests, when garbage is collected.
  while (free.length < CONNECTIONS && failures.length === 0) await wait(1);
  for (const connection of connections) connection.close();
  if (failures.length > 0) throw failures[0];
  const { latencies } = outcome;
  return {
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    refused: refusedPart(outcome),
  };
}
