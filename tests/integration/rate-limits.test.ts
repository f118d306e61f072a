import { Agent } from "node:http";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { claimAttempt, randomToken } from "../../src/auth/store/sign-ins-table.server.ts";
import { redirectTarget, signIn, startSignIn } from "../support/accounts.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { openRawConnection, responseStatuses } from "../support/raw-connection.ts";
import { sendRequest } from "../support/request-with-host.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { countAccountRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const database = await setUpDatabase();
const accountsSite = await setUpAccountsSite(database, { TRUSTED_PROXIES: "127.0.0.1", LOG_LEVEL: "trace" });
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());
type Sent = { client: string; headers?: Record<string, string>; body?: object | undefined };

function send(path: string, { client, headers: given, body }: Sent): Promise<Response> {
  const headers = { apikey: "front-row-public", ...given, "x-forwarded-for": client };
  return sendRequest(accountsSite.site.origin + path, {
    agent,
    method: body ? "POST" : "GET",
    headers,
    body,
  });
}

/** Sends pipelined requests until the client is refused. Requests with any status count. */
async function sendUntilRefused(
  path: string,
  client: string,
  isRefused = ({ status }: Response) => status === 429,
): Promise<Response> {
  const lines = [`GET ${path} HTTP/1.1`, "Host: here", "Accept-Encoding: br", `X-Forwarded-For: ${client}`];
  const requests = `${lines.join("\r\n")}\r\n\r\n`.repeat(PIPELINED);
  for (let count = 0; count < 20_000; count += PIPELINED) {
    const connection = await openRawConnection(accountsSite.site.origin);
    connection.socket.write(requests);
    await connection.waitForResponses(PIPELINED);
    connection.socket.destroy();
    const response = await send(path, { client });
    if (isRefused(response)) return response;
  }
  throw new Error("The client was never refused");
}

/** Below the limit of pipelined requests on a connection. */
const PIPELINED = 30;

test("a client over the API limit gets 429 with Retry-After, and others get 200", async () => {
  const refused = await sendUntilRefused("/api/shows", "203.0.113.1");
  expect(await refused.json()).toEqual({ code: "network_rate_limited", message: expect.any(String) });
  expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|10)$/);
  expect((await send("/api/shows", { client: "203.0.113.2" })).status).toBe(200);
  expect((await accountsSite.site.api("/api/shows")).status).toBe(200);
  expect((await send("/", { client: "203.0.113.1" })).status).toBe(200);
  // Bad queries, which get 400, count as well.
  expect((await sendUntilRefused("/api/shows?page=none", "203.0.113.1")).status).toBe(429);
});

test("a client over the limit for pages gets a page that explains it (docs/product.md §8.6)", async () => {
  const refused = await sendUntilRefused("/", "203.0.113.3");
  expect(refused.headers.get("content-type")).toContain("text/html");
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  const expected = "Too many requests came from your network. Please try again in a moment.";
  expect(await refused.text()).toContain(expected);
  expect((await send("/favicon.svg", { client: "203.0.113.3" })).status).toBe(200);
  expect((await send("/healthz", { client: "203.0.113.3" })).status).toBe(200);
});

/** Stops the windows: a slow machine could not send the requests in time. */
function stopClock(): void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}

testRows<[string, string]>(1, [
  ["2001:db8:20:1::1", "/readyz?x="],
  ["203.0.113.21", "/healthz?search=cats&n="],
])("%s, over the limit of all requests, gets nothing (docs/product.md §8.6)", async (client, path) => {
  stopClock();
  const request = (n: string) =>
    `GET ${path}${n} HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: ${client}\r\n\r\n`;
  const received = Array.from({ length: 170 }, async (_, count) => {
    const connection = await openRawConnection(accountsSite.site.origin);
    connection.socket.write(Array.from({ length: PIPELINED }, (_, n) => request(`${count}.${n}`)).join(""));
    const responses = await connection.waitForResponses(PIPELINED);
    connection.socket.destroy();
    return responses;
  });
  expect(responseStatuses((await Promise.all(received)).join(""))).toContain(429);
  expect((await send(`${path}1`, { client: "203.0.113.23" })).status).toBe(200);
});

testRows<[string, string, number, (n: number) => string, string]>(1, [
  ["pages to be rendered", "2001:db8:30", 300, (n) => `/?search=a${n}`, "/"],
  ["searches of the API", "2001:db8:31", 1_000, (n) => `/api/shows?search=a${n}`, "/api/shows"],
  ["calls about sessions", "2001:db8:32", 600, () => "/auth/v1/settings", "/auth"],
])("%s: the /64s of %s count as one client, which may send %d", async (_, network, limit, path, cheap) => {
  stopClock();
  const app = await createBuiltApp(database, { trustedProxies: ["127.0.0.1"] });
  const statusOf = async (address: string, client: string) => {
    const headers = { apikey: "front-row-public", "x-forwarded-for": client };
    const incoming = { socket: { remoteAddress: "127.0.0.1" }, headers };
    return (await app.fetch(new Request(`http://site.example${address}`, { headers }), { incoming })).status;
  };
  await statusOf(cheap, "203.0.113.30");
  const statuses = new Set<number>();
  for (let n = 0; n < limit; n++) statuses.add(await statusOf(path(n), `${network}:${n.toString(16)}::1`));
  expect(statuses).toEqual(new Set([200]));
  expect(await statusOf(path(limit), `${network}:ffff::1`)).toBe(429);
  expect(await statusOf(path(limit), "2001:db8:33::1")).toBe(200);
  expect(await statusOf(cheap, `${network}:ffff::1`)).toBe(200);
});

test("sign-ins over the limit redirect to the page with an error and store nothing", async () => {
  const { origin } = accountsSite.site;
  const client = "203.0.113.4";
  const isRedirectedWithError = ({ headers }: Response) =>
    new URL(headers.get("location") ?? origin).searchParams.has("error_code", errorCode);
  const errorCode = "over_request_rate_limit";
  const redirect = await sendUntilRefused("/auth/v1/callback?state=x", client, isRedirectedWithError);
  expect(redirect.status).toBe(303);
  expect(redirect.headers.get("location")).toContain(`${origin}/?error=temporarily_unavailable`);
  const before = await countAccountRows(database.db);
  const { url } = startSignIn(origin, "google", { redirect_to: `${origin}/auth` });
  const refused = await send(url.slice(origin.length), { client });
  expect(refused.status).toBe(302);
  const { pathname, searchParams } = new URL(refused.headers.get("location") ?? "");
  expect([pathname, searchParams.get("error_code")]).toEqual(["/auth", errorCode]);
  expect(searchParams.get("error_description")).toMatch(/^Too many people are signing in/);
  expect(await countAccountRows(database.db)).toEqual(before);
  expect((await redirectTarget(url)).origin).not.toBe(origin);
});

test("auth calls over the limit get 429, but a session refresh gets 503 (docs/product.md §6.12)", async () => {
  const session = await signIn(accountsSite.site.origin, "google", { email: "wren@people.example" });
  const client = "2001:db8:1:2::3";
  const headers = { "x-supabase-api-version": "2024-01-01" };
  const refused = await sendUntilRefused("/auth/v1/settings", client);
  expect(await refused.json()).toMatchObject({ code: 429, error_code: "network_rate_limited" });

  const call = (grant: string, from: string, body: object) =>
    send(`/auth/v1/token?grant_type=${grant}`, { client: from, headers, body });
  const sameNetwork = "2001:db8:1:2:ffff::1";
  const exchanged = await call("pkce", sameNetwork, {});
  expect([exchanged.status, (await exchanged.json()).code]).toEqual([429, "network_rate_limited"]);
  const body = { refresh_token: session.refresh_token };
  const refreshed = await call("refresh_token", sameNetwork, body);
  expect([refreshed.status, (await refreshed.json()).code]).toEqual([503, "unavailable"]);
  expect(Number(refreshed.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await call("refresh_token", "203.0.113.5", body)).status).toBe(200);
});

test("pages of other sites use up no limit of their visitors, but a link there starts a sign-in", async () => {
  const { origin } = accountsSite.site;
  const paths = [startSignIn(origin, "github").url.slice(origin.length), "/auth/v1/callback?state=x&code=y"];
  const statusesFor = (dest: string) => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-dest": dest };
    return Promise.all(
      paths.map(async (path) => (await send(path, { client: "203.0.113.9", headers })).status),
    );
  };
  const sent = Array.from({ length: 155 }, (_, count) => statusesFor(count % 3 ? "iframe" : "image"));
  expect(new Set((await Promise.all(sent)).flat())).toEqual(new Set([403]));
  expect(await statusesFor("document")).toEqual([302, 303]);
});

test("requests whose body never arrives block no other request", async () => {
  for (const path of ["/", "/auth", "/nowhere", "/auth/v1/logout", "/auth/v1/token"]) {
    const slow = await openRawConnection(accountsSite.site.origin);
    slow.socket.write(`POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Length: 9999\r\n\r\n`);
    if (path !== "/auth/v1/token") await slow.waitForResponses(1);
    expect((await send("/nowhere", { client: "203.0.113.6" })).status).toBe(404);
    slow.socket.destroy();
  }
});

test("callbacks over the limit evict the oldest attempts, and each works once", async () => {
  const { db } = database;
  const ids = Array.from({ length: 12 }, randomToken);
  const common = { provider: "google", challenge: "c", redirectTo: "/", nonce: "n" } as const;
  for (const id of ids) {
    const attempt = { ...common, id, providerVerifier: "v" };
    const callback = new URLSearchParams({ code: id });
    expect(await claimAttempt(db, attempt, callback, 5)).toBe(true);
    expect(await claimAttempt(db, attempt, callback, 5)).toBe(false);
  }
  const stored = await db.selectFrom("sign_ins").select("id").orderBy("returned_at").execute();
  expect(stored.map(({ id }) => id)).toEqual(ids.slice(-4));
});

test("client addresses are not logged", () => {
  expect(accountsSite.site.log.length).toBeGreaterThan(1_000);
  expect(accountsSite.site.log.join("\n")).not.toMatch(/203\.0\.113|2001:db8/);
});
