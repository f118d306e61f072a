import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertFlow, randomToken } from "../../src/auth/store/flows-table.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  countAccountRows,
  redirectTarget,
  signIn,
  startAccountsSite,
  startSignIn,
} from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openRawConnection, type RawConnection } from "../support/raw-connection.ts";
import { recordRecentRefresh } from "../support/site.ts";

let database: Database;
let accountsSite: AccountsSite;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  accountsSite = await startAccountsSite(database.url, { TRUSTED_PROXIES: "127.0.0.1", LOG_LEVEL: "trace" });
});
afterAll(async () => {
  agent.destroy();
  await accountsSite.close();
  await database.close();
});

interface Asking {
  client: string;
  headers?: Record<string, string>;
  body?: object;
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Asks as a proxy does that has got the request from this client. */
async function ask(path: string, { client, headers = {}, body }: Asking): Promise<Answer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(accountsSite.site.origin + path, {
      agent,
      method: body ? "POST" : "GET",
      headers: { apikey: "front-row-public", ...headers, "x-forwarded-for": client },
    });
    asked.on("error", reject).on("response", resolve);
    asked.end(body && JSON.stringify(body));
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

/** Asks, many requests at a time, until the client is refused; they all count, whatever they are answered. */
async function askUntilRefused(path: string, client: string, isRefused: (answer: Answer) => boolean): Promise<Answer> {
  const lines = [`GET ${path} HTTP/1.1`, "Host: here", "Accept-Encoding: br", `X-Forwarded-For: ${client}`];
  const requests = `${lines.join("\r\n")}\r\n\r\n`.repeat(AT_ONCE);
  for (let asked = 0; asked < 20_000; asked += AT_ONCE) {
    const connection = await openRawConnection(accountsSite.site.origin);
    connection.socket.write(requests);
    await connection.waitForResponses(AT_ONCE);
    connection.socket.destroy();
    const answer = await ask(path, { client });
    if (isRefused(answer)) return answer;
  }
  throw new Error("The client was never refused");
}

/** As many as may be sent on a connection without waiting for answers. */
const AT_ONCE = 30;

const isLimited = ({ status }: Answer) => status === 429;

test("a client that asks the API too much gets 429 with Retry-After, others are answered", async () => {
  const refused = await askUntilRefused("/api/shows", "203.0.113.1", isLimited);
  expect(JSON.parse(refused.body)).toEqual({ code: "rate_limited", message: expect.any(String) });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(10);
  expect((await ask("/api/shows", { client: "203.0.113.2" })).status).toBe(200);
  expect((await accountsSite.site.api("/api/shows")).status).toBe(200);
  expect((await ask("/", { client: "203.0.113.1" })).status).toBe(200);
  // Counted before its query is read: otherwise this would be 400.
  expect((await ask("/api/shows?page=none", { client: "203.0.113.1" })).status).toBe(429);
});

test("a client that opens too many pages gets a page that says so", async () => {
  const refused = await askUntilRefused("/", "203.0.113.3", isLimited);
  expect(refused.headers["content-type"]).toContain("text/html");
  expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  expect(refused.body).toContain("Too many requests came from your network. Please try again in a moment.");
  expect((await ask("/favicon.svg", { client: "203.0.113.3" })).status).toBe(200);
  expect((await ask("/healthz", { client: "203.0.113.3" })).status).toBe(200);
});

test("too many sign-ins of a client go back to the page with an error, and store nothing", async () => {
  const { origin } = accountsSite.site;
  const client = "203.0.113.4";
  const isSentBack = ({ headers }: Answer) =>
    new URL(headers.location ?? origin).searchParams.has("error_code", limited);
  const limited = "over_request_rate_limit";
  const back = await askUntilRefused("/auth/v1/callback?state=x", client, isSentBack);
  expect(back.status).toBe(303);
  expect(back.headers.location).toContain(`${origin}/?error=temporarily_unavailable`);

  const before = await countAccountRows(database.db);
  const { url } = startSignIn(origin, "google", { redirect_to: `${origin}/auth` });
  const refused = await ask(url.slice(origin.length), { client });
  expect(refused.status).toBe(302);
  const address = new URL(refused.headers.location ?? "");
  expect(address.pathname).toBe("/auth");
  expect(address.searchParams.get("error_code")).toBe(limited);
  expect(address.searchParams.get("error_description")).toMatch(/^Too many people are signing in/);
  expect(await countAccountRows(database.db)).toEqual(before);
  expect((await redirectTarget(url)).origin).not.toBe(origin);
});

test("too many calls of a client get 429, but refreshing a session is put off, not refused: the session stays", async () => {
  const session = await signIn(accountsSite.site.origin, "google", { email: "wren@people.example" });
  const client = "2001:db8:1:2::3";
  const headers = { "x-supabase-api-version": "2024-01-01" };
  const refused = await askUntilRefused("/auth/v1/settings", client, isLimited);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 429, error_code: "rate_limited" });

  const neighbour = "2001:db8:1:2:ffff::1";
  const exchange = await ask("/auth/v1/token?grant_type=pkce", { client: neighbour, headers, body: {} });
  expect([exchange.status, JSON.parse(exchange.body).code]).toEqual([429, "rate_limited"]);
  const body = { refresh_token: session.refresh_token };
  const later = await ask("/auth/v1/token?grant_type=refresh_token", { client: neighbour, headers, body });
  expect([later.status, JSON.parse(later.body).code]).toEqual([503, "unavailable"]);
  expect(Number(later.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  const elsewhere = await ask("/auth/v1/token?grant_type=refresh_token", { client: "203.0.113.5", headers, body });
  expect(elsewhere.status).toBe(200);
});

test("bodies that do not come, where nobody wants any, hold nobody up", async () => {
  for (const path of ["/", "/auth", "/auth.data", "/_root.data", "/nowhere", "/auth/v1/logout", "/auth/v1/token"]) {
    const slow = await openRawConnection(accountsSite.site.origin);
    slow.socket.write(`POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Length: 9999\r\n\r\n`);
    if (path !== "/auth/v1/token") await slow.waitForResponses(1);
    expect((await ask("/nowhere", { client: "203.0.113.6" })).status).toBe(404);
    slow.socket.destroy();
  }
});

test("bodies that do not come, where they are waited for, hold up only whoever sends them", async () => {
  const lines = ["POST /auth/v1/token?grant_type=refresh_token HTTP/1.1", "Host: here", "apikey: front-row-public"];
  const request = [...lines, "X-Forwarded-For: 203.0.113.7", "Content-Length: 100", "", "{"].join("\r\n");
  const slow: RawConnection[] = [];
  for (let opened = 0; opened < 60; opened++) {
    const connection = await openRawConnection(accountsSite.site.origin);
    connection.socket.write(request);
    slow.push(connection);
  }
  const ended = await Promise.all(slow.slice(0, 10).map(({ ended }) => ended));
  expect(ended.join("")).toBe("");
  for (const client of ["203.0.113.7", "203.0.113.8"]) {
    const answer = await ask("/auth/v1/token?grant_type=refresh_token", { client, body: { refresh_token: "x" } });
    expect(answer.status).toBe(400);
  }
  for (const { socket } of slow) socket.destroy();
});

test("only so many sign-ins under way are stored: the oldest make room", async () => {
  const { db } = database;
  const states = Array.from({ length: 12 }, randomToken);
  for (const state of states) {
    const flow = {
      state,
      provider: "google" as const,
      challenge: "c",
      redirectTo: "/",
      nonce: "n",
      providerVerifier: "v",
    };
    await insertFlow(db, flow, 5);
  }
  const kept = await db.selectFrom("flows").select("state").orderBy("expires_at").execute();
  expect(kept.map(({ state }) => state)).toEqual(states.slice(-5));
});

test("no address of a client is in the log", () => {
  expect(accountsSite.site.log.length).toBeGreaterThan(1_000);
  expect(accountsSite.site.log.join("\n")).not.toMatch(/203\.0\.113|2001:db8/);
});
