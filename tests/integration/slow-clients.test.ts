import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { type HttpServer, httpLimits, listenHttp } from "../../src/http/listener/http-server.server.ts";
import { openRaw, type RawConnection, statusesIn } from "../support/raw.ts";

let server: HttpServer;
let origin: string;
/** Resolves when a connection that asked for much has ended, as the server sees it. */
let cutOff: PromiseWithResolvers<void>;
afterEach(() => server.close(0));

/** A server that reads bodies and answers `here`, or as many bytes as the path says; with limits that a test need not wait for. */
async function start(limits: Partial<typeof httpLimits>): Promise<void> {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await listenHttp("127.0.0.1", port, { ...httpLimits, connectionsCheckingInterval: 20, ...limits });
  cutOff = Promise.withResolvers();
  server.serve(async (request, response) => {
    await text(request).catch(() => {});
    if (request.url === "/much") request.socket.once("close", () => cutOff.resolve());
    response.end(request.url === "/much" ? Buffer.alloc(MUCH) : "here");
  });
}

/** Bytes: more than the two ends of a connection hold between them. */
const MUCH = 50_000_000;

/** Whoever behaves is served. */
async function expectService(): Promise<void> {
  expect(await (await fetch(origin, { headers: { connection: "close" } })).text()).toBe("here");
}

test("headers that come too slowly end the connection, and nobody else waits for them", async () => {
  await start({ headersTimeout: 200, requestTimeout: 400 });
  const slow = await openRaw(origin);
  slow.socket.write("GET / HTTP/1.1\r\nHost: here\r\n");
  const drip = setInterval(() => slow.socket.write("X-More: 1\r\n"), 20);
  await expectService();
  // Whoever is still sending when the other end has gone may not get to read what it said.
  expect([[408], []]).toContainEqual(statusesIn(await slow.ended));
  clearInterval(drip);
});

test("a body that comes too slowly ends the connection, and nobody else waits for it", async () => {
  await start({ headersTimeout: 200, requestTimeout: 400 });
  const slow = await openRaw(origin);
  slow.socket.write("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\n");
  const drip = setInterval(() => slow.socket.write("x"), 20);
  await expectService();
  // Whoever is still sending when the other end has gone may not get to read what it said.
  expect([[408], []]).toContainEqual(statusesIn(await slow.ended));
  clearInterval(drip);
});

test("a connection on which nothing comes is ended, and so is one kept alive for too long", async () => {
  await start({ headersTimeout: 200, requestTimeout: 200, keepAliveTimeout: 200 });
  const silent = await openRaw(origin);
  const idle = await openRaw(origin);
  idle.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  expect(statusesIn(await silent.ended)).toEqual([408]);
  expect(statusesIn(await idle.ended)).toEqual([200]);
});

test("whoever does not read the answer is cut off", async () => {
  await start({ socketTimeout: 200 });
  const deaf = await openRaw(origin);
  deaf.socket.pause();
  deaf.socket.write("GET /much HTTP/1.1\r\nHost: here\r\n\r\n");
  await expectService();
  await cutOff.promise;
  deaf.socket.resume();
  expect((await deaf.ended).length).toBeLessThan(MUCH);
});

test("whoever asks and asks without waiting for answers is cut off", async () => {
  await start({});
  const hasty = await openRaw(origin);
  const request = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
  hasty.socket.write(request.repeat(20));
  expect(statusesIn(await hasty.receives(20))).toHaveLength(20);
  hasty.socket.write(request.repeat(1_000));
  expect(statusesIn(await hasty.ended).length).toBeLessThan(20 + 1_000);
  await expectService();
});

test("one connection too many ends the one that was quiet longest, and no other", async () => {
  await start({ connections: 3 });
  const first = await openRaw(origin);
  const second = await openRaw(origin);
  await openRaw(origin);
  first.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  await first.receives(1);
  const fourth = await openRaw(origin);
  fourth.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  expect(statusesIn(await fourth.receives(1))).toEqual([200]);
  expect(statusesIn(await second.ended)).toEqual([]);
  first.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  expect(statusesIn(await first.receives(2))).toEqual([200, 200]);
});

/** A connection with a request whose body has not come whole: it lacks a byte. */
async function openBusy(): Promise<RawConnection> {
  const busy = await openRaw(origin);
  busy.socket.write("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nx");
  return busy;
}

test("however many connections are opened, none with a request under way is ended, and whoever comes is answered", async () => {
  await start({ connections: 20 });
  const busy = await openBusy();
  for (const request of ["", "GET / HTTP/1.1\r\nHost: here\r\n\r\n"]) {
    const hoard: RawConnection[] = [];
    for (let opened = 0; opened < 60; opened++) {
      const connection = await openRaw(origin);
      connection.socket.write(request);
      if (request) await connection.receives(1);
      hoard.push(connection);
    }
    await Promise.all(hoard.slice(0, 40).map(({ ended }) => ended));
    await expectService();
  }
  busy.socket.write("x");
  expect(statusesIn(await busy.receives(1))).toEqual([200]);
});

test("whoever has just come is not the first to go where all others are kept alive or have a request under way", async () => {
  await start({ connections: 20 });
  for (let opened = 0; opened < 19; opened++) {
    const other = await (opened < 10 ? openBusy() : openRaw(origin));
    if (opened < 10) continue;
    other.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
    await other.receives(1);
  }
  const newcomer = await openRaw(origin);
  for (let opened = 0; opened < 4; opened++) await openRaw(origin);
  newcomer.socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  expect(statusesIn(await newcomer.receives(1))).toEqual([200]);
});

test("hundreds of connections that hold still do not keep anybody out, and only so many are kept", async () => {
  await start({ connections: 50 });
  const slow: RawConnection[] = [];
  for (let opened = 0; opened < 300; opened++) {
    const connection = await openRaw(origin);
    connection.socket.write("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n");
    slow.push(connection);
  }
  await expectService();
  await Promise.all(slow.slice(0, 250).map(({ ended }) => ended));
});

test("an address and headers of more than 16 KB are refused, and any number of them below", async () => {
  await start({});
  const long = await openRaw(origin);
  long.socket.write(`GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: here\r\n\r\n`);
  expect(statusesIn(await long.ended)).toEqual([431]);

  const seen = Promise.withResolvers<string | string[] | undefined>();
  await server.close(0);
  const port = await freePort();
  server = await listenHttp("127.0.0.1", port);
  server.serve((request, response) => {
    seen.resolve(request.headers["x-forwarded-for"]);
    response.end();
  });
  const many = await openRaw(`http://127.0.0.1:${port}`);
  many.socket.write(`GET / HTTP/1.1\r\nHost: here\r\n${"a:\r\n".repeat(3_000)}X-Forwarded-For: 203.0.113.7\r\n\r\n`);
  expect(await seen.promise).toBe("203.0.113.7");
  many.socket.destroy();
  await once(many.socket, "close");
});

test("by default a proxy's connections are kept longer than a proxy keeps them", () => {
  // Caddy: 120 s, nginx and most others: 60 s.
  expect(httpLimits.keepAliveTimeout).toBeGreaterThan(120_000);
});
