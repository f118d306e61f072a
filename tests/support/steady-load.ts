import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";

/** The outcome of a load. */
export interface LoadResult {
  /** The number of responses with 200. */
  responses: number;
  /** How often each other response or error occurred. */
  failures: Record<string, number>;
  /** The number of refused connections. */
  refused: number;
  /** The longest response time, in ms. */
  slowest: number;
  /** The longest response time of a GET, in ms. */
  slowestRead: number;
  /** The notes of the last acknowledged review, by `<user id> <show id>`. */
  acknowledged: Map<string, string>;
  /** The reviews of which the site said that it does not store them, as in `acknowledged`. */
  unavailable: Set<string>;
}

/** A running load. */
export interface Load {
  /** The outcome so far. */
  result: Readonly<LoadResult>;
  stop(): Promise<LoadResult>;
}

export interface LoadOptions {
  /** Two clients read each. */
  addresses: readonly string[];
  /** The reviewers that write. Each reviews all `showIds`; who has begun is removed from the array. */
  reviewers: Reviewer[];
  /** The number of reviewers that write concurrently. */
  writers: number;
  showIds: readonly string[];
  /** The refresh token of a session that is refreshed all the time. */
  refreshToken?: string;
  /** The `Host` header, if it is not that of the server's address. */
  host?: string;
  /** The pause of each client between a response and its next request, in ms. */
  delay: number;
}

interface RequestOptions {
  method?: "GET" | "PUT" | "POST";
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * Sends requests as visitors do who read, write and stay signed in: each client uses one keep-alive
 * connection, one request after the other, without retries. A client ends if its connection is refused, or on
 * `stop()`.
 */
export function startLoad(origin: string, options: LoadOptions): Load {
  const { addresses, reviewers, writers, showIds, refreshToken, host, delay } = options;
  const result: LoadResult = {
    responses: 0,
    failures: {},
    refused: 0,
    slowest: 0,
    slowestRead: 0,
    acknowledged: new Map(),
    unavailable: new Set(),
  };
  let stopped = false;

  function recordFailure(failure: string): void {
    result.failures[failure] = (result.failures[failure] ?? 0) + 1;
  }

  /** Resolves with the response, status 0 for a lost connection, or null if the client must end. */
  async function request(
    agent: Agent,
    path: string,
    options: RequestOptions = {},
  ): Promise<ReceivedResponse | null> {
    if (stopped) return null;
    const start = performance.now();
    const outcome = await send(agent, origin + path, {
      ...options,
      headers: { ...options.headers, ...(host && { Host: host }) },
    }).catch((error: NodeJS.ErrnoException) => error);
    if (outcome instanceof Error && outcome.code === "ECONNREFUSED") {
      result.refused += 1;
      return null;
    }
    const { method = "GET" } = options;
    const duration = performance.now() - start;
    result.slowest = Math.max(result.slowest, duration);
    if (method === "GET") result.slowestRead = Math.max(result.slowestRead, duration);
    const response = outcome instanceof Error ? { status: 0, text: "" } : outcome;
    if (response.status === 200) result.responses += 1;
    else recordFailure(`${method} ${path}: ${describeOutcome(outcome)}`);
    await pause(delay);
    return response;
  }

  async function read(agent: Agent, path: string): Promise<void> {
    while ((await request(agent, path)) !== null);
  }

  async function write(agent: Agent): Promise<void> {
    for (let reviewer = reviewers.pop(); reviewer; reviewer = reviewers.pop()) {
      for (const show_id of showIds) {
        const notes = `Written ${Math.random()}`;
        const body = { show_id, user_id: reviewer.id, audience_interaction: "yes", notes };
        const response = await request(agent, "/api/reviews", {
          method: "PUT",
          headers: reviewHeaders(reviewer),
          body,
        });
        if (response === null) return;
        const review = `${reviewer.id} ${show_id}`;
        if (response.status === 200) result.acknowledged.set(review, notes);
        if (response.text.includes('"unavailable"')) result.unavailable.add(review);
      }
    }
    if (!stopped) recordFailure("No reviewer is left");
  }

  async function staySignedIn(agent: Agent, token: string): Promise<void> {
    for (let refresh_token = token; ; ) {
      const options = { method: "POST", headers: authHeaders, body: { refresh_token } } as const;
      const response = await request(agent, "/auth/v1/token?grant_type=refresh_token", options);
      if (response === null) return;
      if (response.status === 200) ({ refresh_token } = session.parse(JSON.parse(response.text)));
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

/** Expects that every acknowledged review is stored, and none of which the site said that it is not. */
export async function expectAcknowledgedStored(
  { db }: Database,
  { acknowledged, unavailable }: LoadResult,
): Promise<void> {
  const rows = await db.selectFrom("reviews").select(["user_id", "show_id", "notes"]).execute();
  const stored = new Map(rows.map(({ user_id, show_id, notes }) => [`${user_id} ${show_id}`, notes]));
  expect(acknowledged.size).toBeGreaterThan(0);
  const lost = [...acknowledged].filter(([review, notes]) => stored.get(review) !== notes);
  expect(lost).toEqual([]);
  expect([...unavailable].filter((review) => stored.has(review))).toEqual([]);
}

/** The number of requests that were not answered 200. */
export function countFailures({ failures, refused }: LoadResult): number {
  return Object.values(failures).reduce((sum, count) => sum + count, refused);
}

const authHeaders = { apikey: "front-row-public", "Content-Type": "application/json" };
const session = z.object({ refresh_token: z.string() });

interface ReceivedResponse {
  status: number;
  text: string;
}

function send(
  agent: Agent,
  url: string,
  { method = "GET", headers, body }: RequestOptions,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { agent, method, headers: { apikey: "front-row-public", ...headers } },
      (response) => {
        response
          .toArray()
          .then(
            (parts) => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
            reject,
          );
      },
    );
    sent.on("error", reject).end(body && JSON.stringify(body));
  });
}

function describeOutcome(outcome: ReceivedResponse | NodeJS.ErrnoException): string {
  if (outcome instanceof Error) return `${outcome.code ?? ""} ${outcome.message}`;
  return `${outcome.status} ${outcome.text.slice(0, 100)}`;
}
