import { processorTime } from "../processes.ts";
import { askOnce, createOutcome, type Outcome, refusedPart } from "./ask.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Load, Paths } from "./loads.ts";
import type { Target } from "./target.ts";

/** How a server did under as many requests as it could answer. */
export interface Round {
  requestsPerSecond: number;
  /** In ms. */
  p50: number;
  p99: number;
  /** Processor time that the server spent on one request, in µs. */
  processorTime: number;
  /** The part of the requests that it refused. */
  refused: number;
}

/** How many requests are under way at any time. */
export const CONNECTIONS = 16;

/**
 * Asks as fast as it is answered, from this process.
 * @throws Error when any answer is not as the load expects it
 */
export async function saturate(target: Target, load: Load, next: Paths, seconds: number): Promise<Round> {
  const outcome = createOutcome();
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(target.origin, load.headers));
  const usedBefore = processorTime(target.pid);
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(connections.map((connection) => askUntil(end, connection, load, next, outcome)));
  const took = performance.now() - began;
  const used = processorTime(target.pid) - usedBefore;
  for (const connection of connections) connection.close();
  const { latencies } = outcome;
  return {
    requestsPerSecond: (latencies.count / took) * 1000,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    processorTime: (used / latencies.count) * 1000,
    refused: refusedPart(outcome),
  };
}

async function askUntil(end: number, connection: Connection, load: Load, next: Paths, outcome: Outcome): Promise<void> {
  while (performance.now() < end) await askOnce(connection, load, next, outcome);
}
