import { createHistogram } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type HttpConnection, openConnection } from "../../dev/harness/http-connection.ts";

/** What is asked of a server, and how often. */
export interface FloodOptions {
  headers: Record<string, string>;
  /** The path of the next request. */
  next: () => string;
  /** Each has one request under way at most. */
  connections: number;
  seconds: number;
  /** Requests a second, whether or not earlier ones have been answered; without it, as fast as they are. */
  rate?: number;
}

/** What became of it. */
export interface FloodResult {
  /** Requests a second. */
  sent: number;
  /** Answers with 200 a second. */
  answered: number;
  /** Answers with 503 a second. */
  refused: number;
  /** Any other answers, and connections that ended. */
  failed: number;
  /** Of those answered with 200, in ms. */
  p50: number;
  p99: number;
  slowest: number;
}

/** Asks a server for more than it may be able to answer. */
export async function flood(origin: string, demand: FloodOptions): Promise<FloodResult> {
  const { headers, next, connections, seconds, rate = Number.POSITIVE_INFINITY } = demand;
  const latencies = createHistogram();
  const count = { refused: 0, failed: 0 };
  const began = performance.now();
  const end = began + seconds * 1000;
  let taken = 0;
  let asked = 0;

  async function askWhenDue(): Promise<void> {
    let connection = openConnection(origin, headers);
    for (let due = nextDue(); due < end; due = nextDue()) {
      const early = due - performance.now();
      if (early > 0) await wait(early);
      asked++;
      const since = performance.now();
      const status = await ask(connection, next());
      if (status === 200) latencies.record(Math.max(1, Math.round((performance.now() - since) * 1000)));
      else if (status === 503) count.refused++;
      else count.failed++;
      if (status === null) connection = openConnection(origin, headers);
    }
    connection.close();
  }

  function nextDue(): number {
    const now = performance.now();
    return now < end ? Math.max(began + (taken++ / rate) * 1000, began) : end;
  }

  await Promise.all(Array.from({ length: connections }, askWhenDue));
  const took = (performance.now() - began) / 1000;
  return {
    sent: asked / took,
    answered: latencies.count / took,
    refused: count.refused / took,
    failed: count.failed,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    slowest: latencies.max / 1000,
  };
}

/** The status; null when the connection ended. */
async function ask(connection: HttpConnection, path: string): Promise<number | null> {
  try {
    return await connection.get(path);
  } catch {
    connection.close();
    return null;
  }
}
