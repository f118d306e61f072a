import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { admitRequests } from "../../src/http/admission/admit-requests.server.ts";
import type { QueueLimits } from "../../src/http/admission/queue.server.ts";
import { createNetworksOf } from "../../src/http/clients/client-address.server.ts";
import { listenHttp } from "../../src/http/listener/http-server.server.ts";
import { admission } from "../../src/server/routes.server.ts";
import { openRawConnection, type RawConnection, responseStatuses } from "../support/raw-connection.ts";

const [few, some] = [4, 8].map((places) => ({ places, room: places, maxWait: 200, minLength: 1 })) as [
  QueueLimits,
  QueueLimits,
];
const limits = { probe: some, file: some, memory: some, database: few, write: few };
let origin: string;
let stop: () => Promise<void>;
let refused: number;
let time: number;
/** For each started request, by path: a function that lets the handler respond. */
let handled: Map<string, () => void>;
let handling: PromiseWithResolvers<void>;

beforeEach(async () => {
  time = 0;
  handled = new Map();
  handling = Promise.withResolvers();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const server = await listenHttp("127.0.0.1", port);
  refused = 0;
  const onRefused = () => refused++;
  const networksOf = createNetworksOf(["127.0.0.1"]);
  const counting = { countRequest: () => 0, recordRequest: () => {}, refusalDelay: 0 };
  const options = { ...admission, ...counting, networksOf, onRefused, limits, now: () => time };
  server.serve(admitRequests(respondWhenReleased, options));
  stop = () => server.close(0);
});
afterEach(() => stop());

async function respondWhenReleased({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  handled.set(url, release);
  handling.resolve();
  if (url.endsWith("long")) time += 101;
  if (url.endsWith("slow")) await released;
  response.end("here");
}

async function untilHandled(addresses: string[]): Promise<void> {
  while (!addresses.every((address) => handled.has(address))) {
    await handling.promise;
    handling = Promise.withResolvers();
  }
}

async function sendFor(client: string, address: string, head = `GET ${address}`, rest = "") {
  const sent = await openRawConnection(origin);
  sent.socket.write(`${head} HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: ${client}\r\n${rest || "\r\n"}`);
  await untilHandled([address]);
  return sent;
}

const sendComplete = (address: string, client: string) => sendFor(client, address);

/** Sends a request whose body lacks one byte. */
const sendIncomplete = (address: string, client: string) =>
  sendFor(client, address, `POST ${address}`, "Content-Length: 2\r\n\r\n{");

const statusOf = async (address: string, client?: string) =>
  (await fetch(origin + address, { headers: client ? { "X-Forwarded-For": client } : {} })).status;

async function sendAtOnce(addresses: string[]): Promise<string> {
  const connection = await openRawConnection(origin);
  const requests = addresses.map((address) => `GET ${address} HTTP/1.1\r\nHost: here\r\n\r\n`);
  connection.socket.write(requests.join(""));
  const received = await connection.waitForResponses(addresses.length);
  connection.socket.destroy();
  return received;
}

test("sheds requests that waited too long, except the last in the queue, in their form (docs/product.md §8.7)", async () => {
  const received = await sendAtOnce(["/?1&long", "/?2&long", "/api/shows", "/auth", "/?last"]);
  expect(responseStatuses(received)).toEqual([200, 200, 503, 503, 200]);
  expect(refused).toBe(2);
  expect(received).toMatch(/^Retry-After: 5\r$/m);
  const expected = '{"code":"unavailable","message":"Front Row is very busy. Please try again in a moment."}';
  expect(received).toContain(expected);
  expect(received).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m);
  expect(received).toContain("<p>Front Row is very busy. Please try again in a moment.</p>");
  const style = /<style>(.*?)<\/style>/s.exec(received)?.[1] ?? "";
  expect(received).toContain(`style-src 'sha256-${hash("sha256", style, "base64")}'`);
  expect([...handled.keys()]).toEqual(["/?1&long", "/?2&long", "/?last"]);
  expect(await statusOf("/api/shows")).toBe(200);
});

test("never sheds health checks and metrics", async () => {
  const health = ["/healthz", "/readyz", "/metrics", "/metrics?x"];
  const received = await sendAtOnce([
    "/?1&long",
    "/?2&long",
    ...health,
    "/?/healthz",
    "/auth?x=/healthz",
    "/?last",
  ]);
  expect(responseStatuses(received)).toEqual([200, 200, 200, 200, 200, 200, 503, 503, 200]);
});

test("limits requests that read the database; others, from memory, and writes, have places of their own", async () => {
  const slow = ["/api/reviews?slow", "/auth/v1/user?slow", "/1?slow", "/2?slow"];
  const [first, ...others] = slow.map((address) => fetch(origin + address));
  await untilHandled(slow);
  const withDatabase = ["/api/reviews", "/auth/v1/user", "/nowhere", "/%61pi/shows", "/api/shows/../reviews"];
  for (const address of withDatabase) expect(await statusOf(address)).toBe(503);
  for (const address of ["/", "/?page=2", "/api/shows?search=x", "/auth", "/auth/v1/token"])
    expect(await statusOf(address)).toBe(200);
  handled.get("/api/reviews?slow")?.();
  expect((await first)?.status).toBe(200);
  expect(await statusOf("/api/reviews")).toBe(200);
  for (const address of slow) handled.get(address)?.();
  for (const response of others) expect((await response).status).toBe(200);
});

test("evicts the oldest request with an incomplete body, never a complete one, when full or for its own client", async () => {
  const complete = await sendComplete("/api/reviews?0&slow", "203.0.113.10");
  const slow: RawConnection[] = [];
  for (let n = 1; n <= 3; n++) slow.push(await sendIncomplete(`/auth/v1/user?${n}&slow`, `203.0.113.1${n}`));
  expect(await statusOf("/api/reviews", "203.0.113.20")).toBe(200);
  expect(responseStatuses((await slow[0]?.closed) ?? "")).toEqual([]);
  expect(refused).toBe(1);
  expect(await statusOf("/api/reviews", "203.0.113.13")).toBe(200);
  expect(responseStatuses((await slow[2]?.closed) ?? "")).toEqual([]);
  handled.get("/auth/v1/user?2&slow")?.();
  handled.get("/api/reviews?0&slow")?.();
  for (const kept of [complete, ...slow.slice(1, 2)])
    expect(responseStatuses(await kept.waitForResponses(1))).toEqual([200]);
});

test.each([
  ["203.0.113.1", "203.0.113.1", "203.0.113.2"],
  ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:2:1::1"],
  ["2001:db8:1:1::1", "2001:db8:1:2::1", "198.51.100.1"],
])("%s with a quarter of all places gets no more, nor does %s, but %s does", async (client, same, other) => {
  for (let n = 1; n <= 2; n++) await sendComplete(`/?page=${n}&slow`, client);
  for (const sender of [client, same]) expect(await statusOf("/", sender)).toBe(503);
  expect(await statusOf("/", other)).toBe(200);
  handled.get("/?page=1&slow")?.();
  await expect.poll(() => statusOf("/", client)).toBe(200);
});

test("limits the requests in flight, and forgets those of a closed connection", async () => {
  const closed = await openRawConnection(origin);
  const addresses = Array.from({ length: 8 }, (_, index) => `/?page=${index}&slow`);
  closed.socket.write(addresses.map((address) => `GET ${address} HTTP/1.1\r\nHost: here\r\n\r\n`).join(""));
  await untilHandled(addresses);
  expect(await statusOf("/")).toBe(503);
  closed.socket.destroy();
  await expect.poll(() => statusOf("/")).toBe(200);
  for (const release of handled.values()) release();
  const next = await openRawConnection(origin);
  next.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n".repeat(4));
  expect(responseStatuses(await next.waitForResponses(4))).toEqual([200, 200, 200, 200]);
});
