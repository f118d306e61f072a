import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../dev/harness/free-port.ts";
import {
  openRawConnection,
  type RawConnection,
  responseStatuses,
} from "../../../tests/support/raw-connection.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { OURS } from "../../lib/responses.ts";
import { type HttpServer, httpLimits, listenHttp } from "./http-server.server.ts";

const LONG = 60_000;
/** In bytes: more than the socket buffers of both ends hold. */
const MUCH = 50_000_000;
const get = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
const loopback = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal }) => internal)
  .map(({ address }) => address);
const addresses = ["127.0.0.1", "::1"].filter((address) => loopback.includes(address));
let server: HttpServer | undefined;
let port: number;
let origin: string;
afterEach(() => server?.close(0));

async function answers(host: string): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await text(request).catch(() => {});
  response.end(request.url === "/much" ? Buffer.alloc(MUCH) : "here");
}

/** Returns how to drain the server. */
async function start(limits: Partial<typeof httpLimits> = {}, listener = respond, host = "127.0.0.1") {
  port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const started = await listenHttp(host, port, { ...httpLimits, connectionsCheckingInterval: 20, ...limits });
  server = started;
  started.serve(listener);
  return () => started.close(LONG);
}

async function open(sent = ""): Promise<RawConnection> {
  const connection = await openRawConnection(origin);
  connection.socket.write(sent);
  return connection;
}

async function openIdle(): Promise<RawConnection> {
  const idle = await open(get);
  await idle.waitForResponses(1);
  return idle;
}

const openBusy = () => open("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nx");

async function expectService(): Promise<void> {
  expect(await (await fetch(origin, { headers: { connection: "close" } })).text()).toBe("here");
}

test("localhost is listened on at all its addresses, until the server is closed", async () => {
  await start({}, async (request, response) => void response.end(request.socket.localAddress), "localhost");
  for (const address of addresses) {
    const host = address.includes(":") ? `[${address}]` : address;
    const response = await fetch(`http://${host}:${port}/`);
    expect(await response.text()).toBe(address);
  }
  await server?.close(0);
  for (const address of addresses) expect(await answers(address)).toBe(false);
});

test.each(addresses)("a port in use at %s is refused, and nothing stays open", async (taken) => {
  port = await freePort();
  const other = createServer().listen(port, taken);
  await once(other, "listening");
  await expect(listenHttp("localhost", port)).rejects.toThrow(OperatorError);
  await expect(listenHttp("localhost", port)).rejects.toThrow(/^Port \d+ is already in use/);
  for (const address of addresses) expect(await answers(address)).toBe(address === taken);
  other.close();
});

test.each([
  ["with headers", (response) => response.writeHead(503, { "Retry-After": "5" }).end("busy")],
  [
    "with a list of headers",
    (response) => response.writeHead(404, ["Content-Type", "text/html"]).end("none"),
  ],
  ["without headers or body", (response) => response.writeHead(304).end()],
] as [string, (response: ServerResponse) => void][])("a response %s is marked as ours", async (_, send) => {
  await start({}, async (_request, response) => send(response));
  expect((await fetch(origin)).headers.get(OURS)).toBe("1");
});

test("while it drains, requests in flight and on idle connections get a response with Connection: close", async () => {
  const drain = await start();
  const [busy, idle] = [await openBusy(), await openIdle()];
  const draining = drain();
  // The event loop is blocked for longer than the interval of the server's idle checks.
  idle.socket.write(get);
  for (const until = performance.now() + 400; performance.now() < until; );
  expect(await idle.closed).toMatch(/^Connection: keep-alive\r$.*^Connection: close\r$.*here$/ms);
  busy.socket.write("x");
  expect(await busy.closed).toMatch(/^Connection: close\r$.*here$/ms);
  await draining;
  expect(await answers("127.0.0.1")).toBe(false);
});

test("connections without a request do not delay closing", async () => {
  const drain = await start();
  const silent = await open();
  await openIdle();
  await drain();
  expect(await silent.closed).toBe("");
});

test.each([
  ["headers", "GET / HTTP/1.1\r\nHost: here\r\n", "X-More: 1\r\n"],
  ["body", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n", "x"],
])("closes a connection whose %s come too slowly, without delaying others", async (_what, begin, more) => {
  await start({ headersTimeout: 1_000, requestTimeout: 2_000 });
  const slow = await open(begin);
  const drip = setInterval(() => slow.socket.write(more), 20);
  await expectService();
  // A client that still sends when the server closes may get a reset instead of the response.
  expect([[408], []]).toContainEqual(responseStatuses(await slow.closed));
  clearInterval(drip);
});

test("closes a silent connection, and one that is idle for longer than proxies keep connections", async () => {
  // Otherwise a proxy could reuse a closed connection. Caddy: 120 s; nginx and most others: 60 s.
  expect(httpLimits.keepAliveTimeout).toBeGreaterThan(120_000);
  await start({ headersTimeout: 200, requestTimeout: 200, keepAliveTimeout: 200 });
  const silent = await open();
  const idle = await open(get);
  expect(responseStatuses(await silent.closed)).toEqual([408]);
  expect(responseStatuses(await idle.closed)).toEqual([200]);
});

test("closes a connection whose client does not read the response", async () => {
  const closed = Promise.withResolvers<void>();
  await start({ socketTimeout: 200 }, async (request, response) => {
    if (request.url === "/much") request.socket.once("close", () => closed.resolve());
    await respond(request, response);
  });
  const notReading = await open();
  notReading.socket.pause();
  notReading.socket.write("GET /much HTTP/1.1\r\nHost: here\r\n\r\n");
  await closed.promise;
  notReading.socket.resume();
  expect((await notReading.closed).length).toBeLessThan(MUCH);
});

test("closes a connection that pipelines too many requests", async () => {
  await start();
  const pipelining = await open(get.repeat(20));
  expect(responseStatuses(await pipelining.waitForResponses(20))).toHaveLength(20);
  pipelining.socket.write(get.repeat(1_000));
  expect(responseStatuses(await pipelining.closed).length).toBeLessThan(20 + 1_000);
  await expectService();
});

test("evicts only the longest idle connection when there is one too many", async () => {
  await start({ connections: 3 });
  const [first, second] = [await open(), await open(), await open()];
  first.socket.write(get);
  await first.waitForResponses(1);
  await openIdle();
  expect(responseStatuses(await second.closed)).toEqual([]);
  first.socket.write(get);
  expect(responseStatuses(await first.waitForResponses(2))).toEqual([200, 200]);
});

test("never evicts a request in flight, and serves new connections, under a flood of connections", async () => {
  await start({ connections: 20 });
  const busy = await openBusy();
  for (const openOne of [open, openIdle]) {
    const connections: RawConnection[] = [];
    for (let opened = 0; opened < 60; opened++) connections.push(await openOne());
    await Promise.all(connections.slice(0, 40).map(({ closed }) => closed));
    await expectService();
  }
  busy.socket.write("x");
  expect(responseStatuses(await busy.waitForResponses(1))).toEqual([200]);
});

test("does not evict a new connection first when all others are idle or have a request in flight", async () => {
  await start({ connections: 20 });
  for (let opened = 0; opened < 19; opened++) await (opened < 10 ? openBusy() : openIdle());
  const newcomer = await open();
  for (let opened = 0; opened < 4; opened++) await open();
  newcomer.socket.write(get);
  expect(responseStatuses(await newcomer.waitForResponses(1))).toEqual([200]);
});

test("refuses URL and headers above 16 KB, and accepts any number of headers below", async () => {
  await start({}, async ({ headers }, response) => void response.end(headers["x-forwarded-for"]));
  const long = await open(`GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: here\r\n\r\n`);
  expect(responseStatuses(await long.closed)).toEqual([431]);
  const many = `Host: here\r\n${"a:\r\n".repeat(3_000)}X-Forwarded-For: 203.0.113.7\r\n`;
  expect(await (await open(`GET / HTTP/1.1\r\n${many}\r\n`)).waitForResponses(1)).toMatch(/203\.0\.113\.7$/);
});
