import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { type Reviewer, reviewHeaders } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { sendRequest } from "./request-with-host.ts";
import { storedRows } from "./stored.ts";

export type Load = ReturnType<typeof startLoad>;

export const loadPaths = ["/", "/?search=the&page=2", "/?interaction=yes", "/api/shows?search=a", "/auth"];

interface LoadOptions {
  /** Each reviews all `showIds`. Removed from the array when they begin. */
  reviewers: Reviewer[];
  writers: number;
  showIds: readonly string[];
  refreshToken?: string;
  /** The `Host` header, if it differs from the server's address. */
  host?: string;
  /** In ms. The pause of a client between a response and its next request. */
  delay: number;
}

/** Null if the client must end; status 0 for a lost connection. */
type Send = (path: string, options?: RequestOptions) => Promise<{ status: number; text: string } | null>;
type RequestOptions = { method?: "GET" | "PUT" | "POST"; headers?: Record<string, string>; body?: object };
const session = z.object({ refresh_token: z.string() });

export function startLoad(origin: string, options: LoadOptions) {
  const { reviewers, writers, showIds, refreshToken, host, delay } = options;
  const result = {
    /** Responses with 200, refused connections, and the longest times, in ms. */
    ...{ responses: 0, refused: 0, slowest: 0, slowestRead: 0 },
    failures: {} as Record<string, number>,
    /** The notes of the last acknowledged review, by `<user id> <show id>`. */
    acknowledged: new Map<string, string>(),
    /** Refused reviews, in the form of `acknowledged`. */
    unavailable: new Set<string>(),
  };
  let stopped = false;
  const countFailure = (failure: string) => {
    result.failures[failure] = (result.failures[failure] ?? 0) + 1;
  };

  const sendOn =
    (agent: Agent): Send =>
    async (path, { method = "GET", headers, body } = {}) => {
      if (stopped) return null;
      const all = { apikey: "front-row-public", ...headers, ...(host && { Host: host }) };
      const start = performance.now();
      const { status, text, error } = await sendRequest(origin + path, { agent, method, headers: all, body })
        .then(async (response) => ({ status: response.status, text: await response.text(), error: null }))
        .catch((error: NodeJS.ErrnoException) => ({ status: 0, text: "", error }));
      if (error?.code === "ECONNREFUSED") {
        result.refused += 1;
        return null;
      }
      const duration = performance.now() - start;
      result.slowest = Math.max(result.slowest, duration);
      if (method === "GET") result.slowestRead = Math.max(result.slowestRead, duration);
      if (status === 200) result.responses += 1;
      else
        countFailure(
          `${method} ${path}: ${error ? `${error.code} ${error.message}` : `${status} ${text.slice(0, 100)}`}`,
        );
      await pause(delay);
      return { status, text };
    };

  async function write(send: Send): Promise<void> {
    for (let reviewer = reviewers.pop(); reviewer; reviewer = reviewers.pop()) {
      for (const show_id of showIds) {
        const notes = `Written ${Math.random()}`;
        const body = { show_id, user_id: reviewer.id, audience_interaction: "yes", notes };
        const headers = reviewHeaders(reviewer);
        const response = await send("/api/reviews", { method: "PUT", headers, body });
        if (response === null) return;
        const review = `${reviewer.id} ${show_id}`;
        if (response.status === 200) result.acknowledged.set(review, notes);
        if (response.text.includes('"unavailable"')) result.unavailable.add(review);
      }
    }
    if (!stopped) countFailure("No reviewer is left");
  }

  async function staySignedIn(send: Send, token: string): Promise<void> {
    const headers = { "Content-Type": "application/json" };
    for (let refresh_token = token; ; ) {
      const call = { method: "POST", headers, body: { refresh_token } } as const;
      const response = await send("/auth/v1/token?grant_type=refresh_token", call);
      if (response === null) return;
      if (response.status === 200) ({ refresh_token } = session.parse(JSON.parse(response.text)));
    }
  }

  const clients = [
    ...[...loadPaths, ...loadPaths].map((path) => async (send: Send) => {
      while ((await send(path)) !== null);
    }),
    ...Array.from({ length: writers }, () => write),
    ...(refreshToken ? [(send: Send) => staySignedIn(send, refreshToken)] : []),
  ];
  const running = clients.map(async (client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await client(sendOn(agent));
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

export async function expectAcknowledgedStored({ db }: Database, load: Load["result"]) {
  const rows = await storedRows(db, "reviews", ["user_id", "show_id", "notes"]);
  const stored = new Map(rows.map(({ user_id, show_id, notes }) => [`${user_id} ${show_id}`, notes]));
  expect(load.acknowledged.size).toBeGreaterThan(0);
  expect([...load.acknowledged].filter(([review, notes]) => stored.get(review) !== notes)).toEqual([]);
  expect([...load.unavailable].filter((review) => stored.has(review))).toEqual([]);
}
