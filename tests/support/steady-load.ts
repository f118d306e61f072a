import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";

/** What became of steady load. */
export interface LoadResult {
  /** Requests that were answered 200. */
  responses: number;
  /** Whatever was not answered 200, in words, and how often that was. */
  failures: Record<string, number>;
  /** Requests that found nobody who listens. */
  refused: number;
  /** The longest that an answer took, in ms. */
  slowest: number;
  /** By `user show`: the notes of the last review that was answered as stored. */
  acknowledged: Map<string, string>;
}

/** Load that goes on. */
export interface Load {
  /** What became of it so far. */
  result: Readonly<LoadResult>;
  stop(): Promise<LoadResult>;
}

export interface LoadOptions {
  /** Each is read by two clients. */
  addresses: readonly string[];
  /** Who writes, and of which shows: the next begins when one has written of all. Whoever has begun is taken out. */
  reviewers: Reviewer[];
  /** How many of them write at a time. */
  writers: number;
  showIds: readonly string[];
  /** A session that is turned over all the time. */
  refreshToken?: string;
  /** How long each client rests between an answer and its next request, in ms. */
  delay: number;
}

interface Asked {
  method?: "GET" | "PUT" | "POST";
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * Asks a site all the time, as visitors do who read, write and stay signed in: each on a connection that is kept alive, one request after
 * the other. Nothing is tried again. A client ends when it is refused a connection, or when all are stopped.
 */
export function startLoad(origin: string, options: LoadOptions): Load {
  const { addresses, reviewers, writers, showIds, refreshToken, delay } = options;
  const result: LoadResult = { responses: 0, failures: {}, refused: 0, slowest: 0, acknowledged: new Map() };
  let stopped = false;

  function fail(how: string): void {
    result.failures[how] = (result.failures[how] ?? 0) + 1;
  }

  /** The answer's text; null when the client is to end. */
  async function ask(agent: Agent, path: string, asked: Asked = {}): Promise<string | null> {
    if (stopped) return null;
    const began = performance.now();
    const outcome = await send(agent, origin + path, asked).catch((error: NodeJS.ErrnoException) => error);
    if (outcome instanceof Error && outcome.code === "ECONNREFUSED") {
      result.refused += 1;
      return null;
    }
    result.slowest = Math.max(result.slowest, performance.now() - began);
    const isGood = !(outcome instanceof Error) && outcome.status === 200;
    if (isGood) result.responses += 1;
    else fail(`${asked.method ?? "GET"} ${path}: ${inWords(outcome)}`);
    await pause(delay);
    return isGood ? outcome.text : "";
  }

  async function read(agent: Agent, path: string): Promise<void> {
    while ((await ask(agent, path)) !== null);
  }

  async function write(agent: Agent): Promise<void> {
    for (let reviewer = reviewers.pop(); reviewer; reviewer = reviewers.pop()) {
      for (const show_id of showIds) {
        const notes = `Written ${Math.random()}`;
        const body = { show_id, user_id: reviewer.id, audience_interaction: "yes", notes };
        const text = await ask(agent, "/api/reviews", { method: "PUT", headers: reviewHeaders(reviewer), body });
        if (text === null) return;
        if (text) result.acknowledged.set(`${reviewer.id} ${show_id}`, notes);
      }
    }
    if (!stopped) fail("Nobody is left to write");
  }

  async function staySignedIn(agent: Agent, token: string): Promise<void> {
    for (let refresh_token = token; ; ) {
      const asked = { method: "POST", headers: authHeaders, body: { refresh_token } } as const;
      const text = await ask(agent, "/auth/v1/token?grant_type=refresh_token", asked);
      if (text === null) return;
      if (text) ({ refresh_token } = session.parse(JSON.parse(text)));
    }
  }

  const clients = [
    ...[...addresses, ...addresses].map((path) => (agent: Agent) => read(agent, path)),
    ...Array.from({ length: writers }, () => write),
    ...(refreshToken ? [(agent: Agent) => staySignedIn(agent, refreshToken)] : []),
  ];
  const running = clients.map(async (client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await client(agent);
    agent.destroy();
  });
  return {
    result,
    async stop() {
      stopped = true;
      await Promise.all(running);
      return result;
    },
  };
}

/** Every review that was answered as stored is stored. */
export async function expectAcknowledgedStored({ db }: Database, { acknowledged }: LoadResult): Promise<void> {
  const rows = await db.selectFrom("reviews").select(["user_id", "show_id", "notes"]).execute();
  const kept = new Map(rows.map(({ user_id, show_id, notes }) => [`${user_id} ${show_id}`, notes]));
  expect(acknowledged.size).toBeGreaterThan(0);
  const lost = [...acknowledged].filter(([review, notes]) => kept.get(review) !== notes);
  expect(lost).toEqual([]);
}

/** How many requests were not answered 200. */
export function countFailures({ failures, refused }: LoadResult): number {
  return Object.values(failures).reduce((sum, count) => sum + count, refused);
}

const authHeaders = { apikey: "front-row-public", "Content-Type": "application/json" };
const session = z.object({ refresh_token: z.string() });

interface Answered {
  status: number;
  text: string;
}

function send(agent: Agent, url: string, { method = "GET", headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { apikey: "front-row-public", ...headers } }, (answer) => {
      answer
        .toArray()
        .then((parts) => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }), reject);
    });
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}

function inWords(outcome: Answered | NodeJS.ErrnoException): string {
  if (outcome instanceof Error) return `${outcome.code ?? ""} ${outcome.message}`;
  return `${outcome.status} ${outcome.text.slice(0, 100)}`;
}
