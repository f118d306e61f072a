import { createHistogram } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type HttpConnection, openConnection } from "../../dev/harness/http-connection.ts";

/** What to request, and how often. */
export interface FloodOptions {
  headers: Record<string, string>;
  /** The path of the next request. */
  next: () => string;
  /** The number of connections. Each has at most one request in flight. */
  connections: number;
  seconds: number;
  /**
   * Requests per second, independent of the responses. Without it, each response triggers the next request.
   */
  rate?: number;
}

/** The outcome of a flood. */
export interface FloodResult {
  /** Requests per second. */
  sent: number;
  /** Responses with 200 per second. */
  answered: number;
  /** Responses with 503 per second. */
  refused: number;
  /** The number of other responses and of lost connections. */
  failed: number;
  /** Latencies of the responses with 200, in ms. */
  p50: number;
  p99: number;
  slowest: number;
}

/** Sends requests at a fixed rate, which may be more than the server can answer. */
export async function flood(origin: string, options: FloodOptions): Promise<FloodResult> {
  const { headers, next, connections, seconds, rate = Number.POSITIVE_INFINITY } = options;
  const latencies = createHistogram();
  const count = { refused: 0, failed: 0 };
  const start = performance.now();
  const end = start + seconds * 1000;
  let scheduled = 0;
  let sent = 0;

  async function requestWhenDue(): Promise<void> {
    let connection = openConnection(origin, headers);
    for (let due = nextDue(); due < end; due = nextDue()) {
      const early = due - performance.now();
      if (early > 0) await wait(early);
      sent++;
      const since = performance.now();
      const status = await request(connection, next());
      if (status === 200) latencies.record(Math.max(1, Math.round((performance.now() - since) * 1000)));
      else if (status === 503) count.refused++;
      else count.failed++;
      if (status === null) connection = openConnection(origin, headers);
    }
    connection.close();
  }

  function nextDue(): number {
    const now = performance.now();
    return now < end ? Math.max(start + (scheduled++ / rate) * 1000, start) : end;
  }

  await Promise.all(Array.from({ length: connections }, requestWhenDue));
  const took = (performance.now() - start) / 1000;
  return {
    sent: sent / took,
    answered: latencies.count / took,
    refused: count.refused / took,
    failed: count.failed,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    slowest: latencies.max / 1000,
  };
}

/** The status of the response; null if the connection was lost. */
async function request(connection: HttpConnection, path: string): Promise<number | null> {
  try {
    return await connection.get(path);
  } catch {
    connection.close();
    return null;
  }
}
