import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { processorTime } from "../processes.ts";
import { type Connection, openConnection } from "./connection.ts";
import type { Load } from "./loads.ts";
import type { Target } from "./target.ts";

/** How a server did under as many requests as it could answer. */
export interface Round {
  requestsPerSecond: number;
  /** In ms. */
  p50: number;
  p99: number;
  /** Processor time that the server spent on one request, in µs. */
  processorTime: number;
}

/** How many requests are under way at any time. */
export const CONNECTIONS = 16;

/**
 * Asks as fast as it is answered, from this process.
 * @throws Error when any answer is not as the load expects it
 */
export async function saturate(target: Target, load: Load, seconds: number): Promise<Round> {
  const latencies = createHistogram();
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(target.origin, load.headers));
  const usedBefore = processorTime(target.pid);
  const began = performance.now();
  const end = began + seconds * 1000;
  await Promise.all(connections.map((connection) => askUntil(end, connection, load, latencies)));
  const took = performance.now() - began;
  const used = processorTime(target.pid) - usedBefore;
  for (const connection of connections) connection.close();
  return {
    requestsPerSecond: (latencies.count / took) * 1000,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    processorTime: (used / latencies.count) * 1000,
  };
}

async function askUntil(end: number, connection: Connection, load: Load, latencies: RecordableHistogram) {
  for (let began = performance.now(); began < end; began = performance.now()) {
    await askOnce(connection, load);
    latencies.record(microseconds(performance.now() - began));
  }
}

/** @throws Error when the answer is not as the load expects it: a figure made of failures would mean nothing */
export async function askOnce(connection: Connection, load: Load): Promise<void> {
  const path = load.next();
  const status = await connection.get(path);
  if (status !== load.status) throw new Error(`${path} was answered with ${status}`);
}

/** A histogram counts whole numbers from 1. */
export function microseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1000));
}
