import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { refuseOverload } from "../../src/http/admission/refuse-overload.server.ts";
import { listenHttp } from "../../src/http/listener/http-server.server.ts";
import { openRaw, type RawConnection, statusesIn } from "../support/raw.ts";

const limits = { maxWait: 200, minQueueLength: 1, inFlight: 8, waiting: 4, refusalDelay: 0 };

let origin: string;
let stop: () => Promise<void>;
/** How many requests were counted as refused. */
let refused: number;
/** What the server takes for the time, in ms. */
let time: number;
/** The requests that have been let through and not been answered, by address. */
let arrived: Map<string, () => void>;
let arrives: PromiseWithResolvers<void>;

beforeEach(async () => {
  time = 0;
  arrived = new Map();
  arrives = Promise.withResolvers();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const server = await listenHttp("127.0.0.1", port);
  refused = 0;
  const onRefused = () => refused++;
  const trustedProxies = ["127.0.0.1"];
  server.serve(refuseOverload(answerWhenTold, { trustedProxies, onRefused, limits, now: () => time }));
  stop = () => server.close(0);
});
afterEach(() => stop());

async function answerWhenTold({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  arrived.set(url, tell);
  arrives.resolve();
  if (url.endsWith("long")) time += 101;
  if (url.endsWith("slow")) await told;
  response.end("here");
}

/** Sends requests that are not answered before they are told to; resolves when all of them have arrived. */
async function occupy(...addresses: string[]): Promise<Promise<Response>[]> {
  const answers = addresses.map((address) => fetch(origin + address));
  await haveArrived(addresses);
  return answers;
}

async function haveArrived(addresses: string[]): Promise<void> {
  while (!addresses.every((address) => arrived.has(address))) {
    await arrives.promise;
    arrives = Promise.withResolvers();
  }
}

/** Sends a request as a proxy does that has it from this client; it is not answered before it is told to, and its body lacks a byte. */
async function sendSlowly(address: string, client: string): Promise<RawConnection> {
  const slow = await openRaw(origin);
  const headers = ["Host: here", `X-Forwarded-For: ${client}`, "Content-Length: 2"];
  slow.socket.write(`POST ${address} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n{`);
  await haveArrived([address]);
  return slow;
}

/** The same with the body whole, so that it waits for the database, say. */
async function sendWhole(address: string, client: string): Promise<RawConnection> {
  const sent = await openRaw(origin);
  sent.socket.write(`GET ${address} HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: ${client}\r\n\r\n`);
  await haveArrived([address]);
  return sent;
}

const statusOf = async (address: string, client?: string) =>
  (await fetch(origin + address, { headers: client ? { "X-Forwarded-For": client } : {} })).status;

/** Sends requests all at once, so that they come in one turn of the event loop. */
async function sendAtOnce(addresses: string[], accept = "*/*"): Promise<string> {
  const connection = await openRaw(origin);
  const requests = addresses.map((address) => `GET ${address} HTTP/1.1\r\nHost: here\r\nAccept: ${accept}\r\n\r\n`);
  connection.socket.write(requests.join(""));
  const received = await connection.receives(addresses.length);
  connection.socket.destroy();
  return received;
}

test("requests begin at once and in one turn as long as none takes long", async () => {
  expect(statusesIn(await sendAtOnce(["/", "/?page=2", "/?page=3"]))).toEqual([200, 200, 200]);
});

test("what has waited too long is refused but for a handful, programs with JSON, and told when to come again", async () => {
  const received = await sendAtOnce(["/?1&long", "/?2&long", "/api/shows", "/", "/?last"]);
  expect(statusesIn(received)).toEqual([200, 200, 503, 503, 200]);
  expect(refused).toBe(2);
  expect(received).toMatch(/^Retry-After: 5\r$/m);
  expect(received).toContain(
    '{"code":"unavailable","message":"Front Row is very busy. Please try again in a moment."}',
  );
  expect([...arrived.keys()]).toEqual(["/?1&long", "/?2&long", "/?last"]);
  expect(await statusOf("/api/shows")).toBe(200);
});

test("people are refused with a page that says so", async () => {
  const received = await sendAtOnce(["/?1&long", "/?2&long", "/?search=cats", "/?last"], "text/html,*/*;q=0.8");
  expect(statusesIn(received)).toEqual([200, 200, 503, 200]);
  expect(received).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m);
  expect(received).toMatch(/^Cache-Control: no-store\r$/m);
  expect(received).toContain("Front Row is very busy. Please try again in a moment.");
});

test("those in line begin in the order in which they came", async () => {
  expect(statusesIn(await sendAtOnce(["/?1&long", "/?2", "/?3", "/?4"]))).toEqual([200, 200, 200, 200]);
  expect([...arrived.keys()]).toEqual(["/?1&long", "/?2", "/?3", "/?4"]);
});

test("what tells the operator how things are is answered whatever happens", async () => {
  const health = ["/healthz", "/readyz", "/metrics", "/metrics?x"];
  const received = await sendAtOnce(["/?1&long", "/?2&long", ...health, "/healthzy", "/x/healthz", "/?last"]);
  expect(statusesIn(received)).toEqual([200, 200, 200, 200, 200, 200, 503, 503, 200]);
});

test("requests that wait for the database are refused when they are many, and browsing goes on", async () => {
  const [one, ...others] = await occupy("/api/reviews?slow", "/auth/v1/token?slow", "/1?slow", "/2?slow");
  for (const address of ["/api/reviews", "/auth/v1/user", "/nowhere", "/%61pi/shows", "/api/shows/../reviews"]) {
    expect(await statusOf(address)).toBe(503);
  }
  for (const address of ["/", "/?page=2", "/api/shows?search=x", "/auth"]) expect(await statusOf(address)).toBe(200);
  arrived.get("/api/reviews?slow")?.();
  expect((await one)?.status).toBe(200);
  expect(await statusOf("/api/reviews")).toBe(200);
  for (const address of ["/auth/v1/token?slow", "/1?slow", "/2?slow"]) arrived.get(address)?.();
  for (const answer of others) expect((await answer).status).toBe(200);
});

test("no client may have more than a quarter of those that wait, and its wider network no more than half", async () => {
  const first = await sendWhole("/api/reviews?1&slow", "203.0.113.1");
  expect(await statusOf("/api/reviews", "203.0.113.1")).toBe(503);
  expect(await statusOf("/", "203.0.113.1")).toBe(200);
  expect(await statusOf("/api/reviews", "203.0.113.2")).toBe(200);
  arrived.get("/api/reviews?1&slow")?.();
  await first.receives(1);
  expect(await statusOf("/api/reviews", "203.0.113.1")).toBe(200);

  await sendWhole("/api/reviews?2&slow", "2001:db8:1:1::1");
  const gone = await sendWhole("/api/reviews?3&slow", "2001:db8:1:2::1");
  expect(await statusOf("/api/reviews", "2001:db8:1:3::1")).toBe(503);
  expect(await statusOf("/api/reviews", "2001:db8:2::1")).toBe(200);
  gone.socket.destroy();
  await expect.poll(() => statusOf("/api/reviews", "2001:db8:1:3::1")).toBe(200);
});

test("requests whose bodies do not come make room, the oldest first, and those whose bodies are there do not", async () => {
  const whole = await sendWhole("/api/reviews?0&slow", "203.0.113.10");
  const slow: RawConnection[] = [];
  for (let n = 1; n <= 3; n++) slow.push(await sendSlowly(`/auth/v1/token?${n}&slow`, `203.0.113.1${n}`));
  expect(await statusOf("/api/reviews", "203.0.113.20")).toBe(200);
  expect(statusesIn((await slow[0]?.ended) ?? "")).toEqual([]);
  expect(refused).toBe(1);
  for (let n = 2; n <= 3; n++) arrived.get(`/auth/v1/token?${n}&slow`)?.();
  arrived.get("/api/reviews?0&slow")?.();
  for (const kept of [whole, ...slow.slice(1)]) expect(statusesIn(await kept.receives(1))).toEqual([200]);
});

test("a client whose bodies do not come loses the oldest of them to its next request", async () => {
  const slow = await sendSlowly("/auth/v1/token?slow", "203.0.113.1");
  const other = await sendSlowly("/auth/v1/user?slow", "203.0.113.2");
  expect(await statusOf("/api/reviews", "203.0.113.1")).toBe(200);
  expect(statusesIn(await slow.ended)).toEqual([]);
  arrived.get("/auth/v1/user?slow")?.();
  expect(statusesIn(await other.receives(1))).toEqual([200]);
});

test("no more requests are under way than there may be", async () => {
  const answers = await occupy(...Array.from({ length: 8 }, (_, index) => `/?page=${index}&slow`));
  expect(await statusOf("/")).toBe(503);
  for (const tell of arrived.values()) tell();
  for (const answer of answers) expect((await answer).status).toBe(200);
  expect(await statusOf("/")).toBe(200);
});

test("requests of a connection that is gone are not under way, even those whose turn to be answered never came", async () => {
  const gone = await openRaw(origin);
  const addresses = Array.from({ length: 8 }, (_, index) => `/?page=${index}&slow`);
  gone.socket.write(addresses.map((address) => `GET ${address} HTTP/1.1\r\nHost: here\r\n\r\n`).join(""));
  await haveArrived(addresses);
  expect(await statusOf("/")).toBe(503);
  gone.socket.destroy();
  await expect.poll(() => statusOf("/")).toBe(200);
  for (const tell of arrived.values()) tell();
  const again = await openRaw(origin);
  again.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n".repeat(4));
  expect(statusesIn(await again.receives(4))).toEqual([200, 200, 200, 200]);
});
