import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { type HttpServer, httpLimits, listenHttp } from "../../src/http/listener/http-server.server.ts";
import { openRawConnection, type RawConnection, responseStatuses } from "../support/raw-connection.ts";

let server: HttpServer;
let origin: string;
let closed: PromiseWithResolvers<void>;
afterEach(() => server.close(0));

async function start(limits: Partial<typeof httpLimits>, onRequest = (_: IncomingMessage) => {}) {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await listenHttp("127.0.0.1", port, { ...httpLimits, connectionsCheckingInterval: 20, ...limits });
  closed = Promise.withResolvers();
  server.serve(async (request, response) => {
    onRequest(request);
    await text(request).catch(() => {});
    if (request.url === "/much") request.socket.once("close", () => closed.resolve());
    response.end(request.url === "/much" ? Buffer.alloc(MUCH) : "here");
  });
}

/** In bytes: more than the socket buffers of both ends hold. */
const MUCH = 50_000_000;
const get = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";

async function expectService(): Promise<void> {
  expect(await (await fetch(origin, { headers: { connection: "close" } })).text()).toBe("here");
}

test.each([
  ["headers", "GET / HTTP/1.1\r\nHost: here\r\n", "X-More: 1\r\n"],
  ["body", "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n", "x"],
])("closes a connection whose %s come too slowly, without delaying others", async (_what, begin, more) => {
  await start({ headersTimeout: 1_000, requestTimeout: 2_000 });
  const slow = await openRawConnection(origin);
  slow.socket.write(begin);
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
  const silent = await openRawConnection(origin);
  const idle = await openRawConnection(origin);
  idle.socket.write(get);
  expect(responseStatuses(await silent.closed)).toEqual([408]);
  expect(responseStatuses(await idle.closed)).toEqual([200]);
});

test("closes a connection whose client does not read the response", async () => {
  await start({ socketTimeout: 200 });
  const notReading = await openRawConnection(origin);
  notReading.socket.pause();
  notReading.socket.write("GET /much HTTP/1.1\r\nHost: here\r\n\r\n");
  await expectService();
  await closed.promise;
  notReading.socket.resume();
  expect((await notReading.closed).length).toBeLessThan(MUCH);
});

test("closes a connection that pipelines too many requests", async () => {
  await start({});
  const pipelining = await openRawConnection(origin);
  pipelining.socket.write(get.repeat(20));
  expect(responseStatuses(await pipelining.waitForResponses(20))).toHaveLength(20);
  pipelining.socket.write(get.repeat(1_000));
  expect(responseStatuses(await pipelining.closed).length).toBeLessThan(20 + 1_000);
  await expectService();
});

test("evicts only the longest idle connection when there is one too many", async () => {
  await start({ connections: 3 });
  const first = await openRawConnection(origin);
  const second = await openRawConnection(origin);
  await openRawConnection(origin);
  first.socket.write(get);
  await first.waitForResponses(1);
  const fourth = await openRawConnection(origin);
  fourth.socket.write(get);
  expect(responseStatuses(await fourth.waitForResponses(1))).toEqual([200]);
  expect(responseStatuses(await second.closed)).toEqual([]);
  first.socket.write(get);
  expect(responseStatuses(await first.waitForResponses(2))).toEqual([200, 200]);
});

async function openBusy(): Promise<RawConnection> {
  const busy = await openRawConnection(origin);
  busy.socket.write("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nx");
  return busy;
}

test("never evicts a request in flight, and serves new connections, under a flood of connections", async () => {
  await start({ connections: 20 });
  const busy = await openBusy();
  for (const request of ["", get]) {
    const connections: RawConnection[] = [];
    for (let opened = 0; opened < 60; opened++) {
      const connection = await openRawConnection(origin);
      connection.socket.write(request);
      if (request) await connection.waitForResponses(1);
      connections.push(connection);
    }
    await Promise.all(connections.slice(0, 40).map(({ closed }) => closed));
    await expectService();
  }
  busy.socket.write("x");
  expect(responseStatuses(await busy.waitForResponses(1))).toEqual([200]);
});

test("does not evict a new connection first when all others are idle or have a request in flight", async () => {
  await start({ connections: 20 });
  for (let opened = 0; opened < 19; opened++) {
    const other = await (opened < 10 ? openBusy() : openRawConnection(origin));
    if (opened < 10) continue;
    other.socket.write(get);
    await other.waitForResponses(1);
  }
  const newcomer = await openRawConnection(origin);
  for (let opened = 0; opened < 4; opened++) await openRawConnection(origin);
  newcomer.socket.write(get);
  expect(responseStatuses(await newcomer.waitForResponses(1))).toEqual([200]);
});

test("refuses URL and headers above 16 KB, and accepts any number of headers below", async () => {
  await start({});
  const long = await openRawConnection(origin);
  long.socket.write(`GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: here\r\n\r\n`);
  expect(responseStatuses(await long.closed)).toEqual([431]);
  const seen = Promise.withResolvers<unknown>();
  await server.close(0);
  await start({}, ({ headers }) => seen.resolve(headers["x-forwarded-for"]));
  const many = await openRawConnection(origin);
  many.socket.write(
    `GET / HTTP/1.1\r\nHost: here\r\n${"a:\r\n".repeat(3_000)}X-Forwarded-For: 203.0.113.7\r\n\r\n`,
  );
  expect(await seen.promise).toBe("203.0.113.7");
});
