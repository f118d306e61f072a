import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Connection } from "./connection.ts";
import type { Load, Paths } from "./loads.ts";

/** What became of many requests. */
export interface Outcome {
  /** Of those that were answered, in µs. */
  latencies: RecordableHistogram;
  /** Those for which there was too much to do. */
  refused: number;
}

export function createOutcome(): Outcome {
  return { latencies: createHistogram(), refused: 0 };
}

/**
 * Sends one request and notes how long it took since a moment on the clock of `performance.now()`, or that it was refused.
 * @throws Error when the answer is any other than the load expects: a figure made of failures would mean nothing
 */
export async function askOnce(
  connection: Connection,
  { status: expected }: Pick<Load, "status">,
  next: Paths,
  outcome: Outcome,
  since = performance.now(),
): Promise<void> {
  const path = next();
  const status = await connection.get(path);
  if (status === expected) outcome.latencies.record(microseconds(performance.now() - since));
  else if (status === 503) outcome.refused++;
  else throw new Error(`${path} was answered with ${status}`);
}

/** The part of the requests that was refused. */
export function refusedPart({ latencies, refused }: Outcome): number {
  return refused === 0 ? 0 : refused / (refused + latencies.count);
}

/** A histogram counts whole numbers from 1. */
export function microseconds(ms: number): number {
  return Math.max(1, Math.round(ms * 1000));
}
