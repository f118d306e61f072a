import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { askOnce, createOutcome, refusedPart } from "./ask.ts";
import { type Connection, openConnection } from "./connection.ts";

/** What is asked of a server at a steady rate. */
export const steadyLoad = z.object({
  origin: z.string(),
  headers: z.record(z.string(), z.string()),
  /** What every answer must have. */
  status: z.int(),
  paths: z.array(z.string()),
  /** Requests a second. */
  rate: z.number(),
});
export type SteadyLoad = z.infer<typeof steadyLoad>;

/** How long answers took, in ms, and the part of the requests that was refused. */
export const steady = z.object({ p50: z.number(), p99: z.number(), refused: z.number() });
export type Steady = z.infer<typeof steady>;
export type Latency = Pick<Steady, "p50" | "p99">;

/** Enough for requests to be sent when they are due, whatever the server is busy with. */
const CONNECTIONS = 64;

/** Open, and used once: to make so many at the same moment takes 20 ms, in which no steady load would have any of them made. */
async function openConnections(
  origin: string,
  headers: Record<string, string>,
  [path = "/"]: readonly string[],
): Promise<Connection[]> {
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(origin, headers));
  for (const connection of connections) await connection.get(path);
  return connections;
}

/**
 * Asks at a steady rate, whether or not earlier requests have been answered, as independent visitors do. A request that
 * finds no free connection counts from when it was due, so that a server that stalls is not spared the requests of that time.
 * @throws Error when any answer is not as the load expects it
 */
export async function askSteadily({ origin, headers, status, paths, rate }: SteadyLoad): Promise<Steady> {
  const outcome = createOutcome();
  const connections = await openConnections(origin, headers, paths);
  const free = [...connections];
  /** When those were due that found no free connection. */
  const late: number[] = [];
  const failures: unknown[] = [];
  let asked = 0;
  const next = () => paths[asked++] ?? "";

  async function ask(connection: Connection, since: number): Promise<void> {
    for (let from: number | undefined = since; from !== undefined; from = late.shift()) {
      await askOnce(connection, { status }, next, outcome, from);
    }
    free.push(connection);
  }

  const began = performance.now();
  const dueAt = (turn: number) => began + (turn / rate) * 1000;
  for (let turn = 0; turn < paths.length; await wait(1)) {
    const now = performance.now();
    for (; turn < paths.length && dueAt(turn) <= now; turn++) {
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
