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
  const began = performance.now();
  let taken = 0;

  async function askWhenDue(connection: Connection): Promise<void> {
    while (taken < rate * seconds) {
      let since = began + (taken++ / rate) * 1000;
      const early = since - performance.now();
      if (early > 0) {
        await wait(early);
        since = performance.now();
      }
      await askOnce(connection, load, next, outcome, since);
    }
  }

  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(origin, load.headers));
  await Promise.all(connections.map(askWhenDue));
  for (const connection of connections) connection.close();
  const { latencies } = outcome;
  return {
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    refused: refusedPart(outcome),
  };
}
