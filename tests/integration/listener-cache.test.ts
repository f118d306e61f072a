import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createListenerCache } from "../../src/http/cache/listener-cache.server.ts";
import { listenHttp } from "../../src/http/listener/http-server.server.ts";
import type { RecordRequest } from "../../src/http/observability/record-requests.server.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { fuzzRuns } from "../support/fuzz/fuzz-runs.ts";
import { openRawConnection, responseStatuses } from "../support/raw-connection.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { bareShow, snapshotOf } from "../support/snapshot.ts";

const database = await setUpDatabase();
let site: Awaited<ReturnType<typeof serve>>;

beforeEach(async () => {
  site = await serve();
  return site.close;
});

const shows = Array.from({ length: 45 }, (_, index) => bareShow(`show-${index}`));

async function serve() {
  const log: string[] = [];
  const catalogue = createCatalogue();
  await catalogue.replace(snapshotOf(shows));
  const notes = createNotesCache(database.db);
  let record: RecordRequest = () => {};
  const listenerCache = createListenerCache((...recorded) => record(...recorded));
  const { fetch, recordRequest, metrics } = await createBuiltApp(database, {
    ...{ catalogue, notes, listenerCache },
    trustedProxies: ["127.0.0.1"],
    log: createLogger("debug", { write: (line) => log.push(line) }),
    // No page may be stale, because the property compares both servers one after the other.
    maxStale: 0,
    clientFiles: fileURLToPath(new URL("../../build/client", import.meta.url)),
  });
  record = recordRequest;
  let requestCount = 0;
  const app: typeof fetch = (...request) => {
    requestCount++;
    return fetch(...request);
  };
  const appServer = await listen(getRequestListener(app));
  const cachingServer = await listen(listenerCache.wrap(getRequestListener(app)));
  return {
    ...{ app: appServer.origin, caching: cachingServer.origin, catalogue, notes, log },
    requestCount: () => requestCount,
    readMetrics: () => metrics.registry.metrics(),
    close: async () => void (await Promise.all([appServer.close(0), cachingServer.close(0)])),
  };
}

async function listen(listener: RequestListener) {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  server.serve(listener);
  return { ...server, origin: `http://127.0.0.1:${port}` };
}

interface RawRequest {
  method?: string;
  target?: string;
  version?: string;
  headers?: [name: string, value: string][];
}

const host: [string, string] = ["Host", "front-row.example"];
const key: [string, string] = ["apikey", "front-row-public"];

async function sendRaw(
  origin: string,
  { method = "GET", target = "/", version = "1.1", headers = [host, key] }: RawRequest,
) {
  const connection = await openRawConnection(origin);
  // A response to HEAD has a Content-Length without a body, so that only the end of the connection ends it.
  const close: [string, string] = ["Connection", "close"];
  const sentHeaders =
    method === "HEAD" ? [...headers.filter(([name]) => name !== "Connection"), close] : headers;
  const lines = sentHeaders.map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n`);
  const complete = method === "HEAD" ? connection.closed : connection.waitForResponses(1);
  const received = await Promise.race([complete, connection.closed]);
  connection.socket.destroy();
  return received.replace(/^date: .*\r\n/im, "");
}

const etagIn = (response: string) => /^etag: (.*)\r$/im.exec(response)?.[1] ?? "";

const targets = [
  "/", "/?page=2", "/?page=2&x=y", "/?search=show+1", "/?interaction=yes", "/auth", "/auth?error=x", "/auth/", "/AUTH", "//", "/nowhere",
  "/api/shows?search=%zz&page=+1", "/api/shows?search=%C3%A9+b&interaction=maybe&reviews=all", "/api/shows?pag%65=3&=1",
  "/api/shows", "/api/shows?page=2", "/api/shows?search=Show%204", "/api/shows?reviews=none", "/api/shows?page=x", "/%61pi/shows",
  "/api/reviews?show_id=show-1", "/api/reviews?show_id=show-1&show_id=gone", "/api/reviews", "/api/nothing", "/auth.data", "/healthz",
  "/favicon.svg", "/favicon.svg?x=y", "/favicon%2esvg", "/assets/gone.js",
  "http://front-row.example/", "http://elsewhere.example/api/shows", "*", "/a\\b",
]; // biome-ignore format: a table of addresses
const encodings = [
  "br", "gzip", "identity", "", "*", "gzip, deflate, br, zstd", "br;q=0, gzip", "br;q=0.5, gzip;q=0.6", "BR", "identity;q=0", "x;;q", "undefined",
]; // biome-ignore format: a table of encodings

const header = (name: string, ...values: string[]) =>
  fc.option(
    fc.constantFrom(...values).map((value): [string, string] => [name, value]),
    { nil: null, freq: 3 },
  );

const headers = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constant(host) }, { weight: 1, arbitrary: header("Host", "other.example:81", "a b", "") }),
  fc.oneof({ weight: 6, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: header("apikey", "wrong", "", "undefined") }),
  fc.oneof({ weight: 1, arbitrary: header("apikey", "front-row-public") }, { weight: 9, arbitrary: fc.constant(null) }),
  header("Accept-Encoding", ...encodings),
  fc.oneof({ weight: 1, arbitrary: header("Accept-Encoding", ...encodings) }, { weight: 9, arbitrary: fc.constant(null) }),
  header("If-None-Match", "its own", "its own", "its own", 'W/"x", its own', "*", '"other"', "", "undefined"),
  header("Connection", "close", "keep-alive"),
  header("Cookie", "a=b"),
  header("Range", "bytes=0-9"),
); // biome-ignore format: a header a line

const mostly = (usual: string, ...others: string[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const line = fc.record({
  method: mostly("GET", "HEAD", "POST", "OPTIONS", "PURGE"),
  target: fc.constantFrom(...targets),
  version: mostly("1.1", "1.0"),
});

/** Two requests that differ in one header. "its own" is replaced by the ETag of the first response. */
const pairs = fc
  .record({ line, headers, others: headers, differing: fc.nat(8) })
  .map(({ line, headers, others, differing }) => (etag: string): [RawRequest, RawRequest] => {
    const withHeaders = (sentHeaders: ([string, string] | null)[]) => ({
      ...line,
      headers: sentHeaders
        .filter((header) => header !== null)
        .map(([name, value]): [string, string] => [name, value.replace("its own", etag)]),
    });
    const other = headers.map((header, index) => (index === differing ? (others[index] ?? null) : header));
    return [withHeaders(headers), withHeaders(other)];
  });

const changes = fc.constantFrom("a review", "a note", "a refresh", ...Array<string>(7).fill("nothing"));
let changeCount = 0;

async function change(what: string): Promise<void> {
  const latest_at = new Date(Date.UTC(2025, 7, 1) + changeCount++).toISOString();
  if (what === "a review") {
    const tallies = { no: 0, very_little: 0, yes: changeCount, latest_at, revision: changeCount };
    site.catalogue.updateTallies("show-3", tallies);
  }
  if (what === "a note") site.notes.invalidateAll();
  if (what === "a refresh") await site.catalogue.replace(snapshotOf(shows.slice(changeCount % 2)));
}

test("a cached response equals the app's in every byte, for any request and after any change", async () => {
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(pairs, changes, async (pair, event) => {
      const [first, other] = pair(etagIn(await sendRaw(site.app, { ...pair("")[0], method: "GET" })));
      const before = await sendRaw(site.app, first);
      for (let repeat = 0; repeat < 2; repeat++) expect(await sendRaw(site.caching, first)).toBe(before);
      const countBefore = site.requestCount();
      expect(await sendRaw(site.caching, first)).toBe(before);
      if (site.requestCount() === countBefore) hits++;
      expect(await sendRaw(site.caching, other)).toBe(await sendRaw(site.app, other));
      await change(event);
      expect(await sendRaw(site.caching, first)).toBe(await sendRaw(site.app, first));
    }),
    { ...fuzzRuns(80), interruptAfterTimeLimit: 30_000 },
  );
  // Proves that cache hits were compared at all.
  expect(hits).toBeGreaterThan(5);
}, 60_000);

test("counts cache hits towards the rate limit of the client", async () => {
  const request = (client: string) =>
    `GET / HTTP/1.1\r\nHost: front-row.example\r\nX-Forwarded-For: ${client}\r\n\r\n`;
  const sendRepeated = async (origin: string, client: string, times: number) => {
    const connection = await openRawConnection(origin);
    connection.socket.write(request(client).repeat(times));
    const statuses = responseStatuses(await connection.waitForResponses(times));
    connection.socket.destroy();
    return statuses;
  };
  for (let repeat = 0; repeat < 10; repeat++) {
    expect(await sendRepeated(site.caching, "203.0.113.7", 30)).toEqual(Array(30).fill(200));
  }
  expect(site.requestCount()).toBeLessThan(40);
  expect(await sendRepeated(site.caching, "203.0.113.7", 2)).toEqual([429, 429]);
  expect(await sendRepeated(site.app, "203.0.113.7", 1)).toEqual([429]);
  expect(await sendRepeated(site.caching, "203.0.113.8", 1)).toEqual([200]);
});

test("counts and logs each cache hit as the app does", async () => {
  for (let repeat = 0; repeat < 5; repeat++) await sendRaw(site.caching, { target: "/?page=2" });
  expect(site.requestCount()).toBe(1);
  const expected = /duration_seconds_count\{method="GET",route="\/",status="200"\} 5$/m;
  expect(await site.readMetrics()).toMatch(expected);
  const logged = site.log.map((line) => JSON.parse(line));
  expect(logged).toHaveLength(5);
  for (const line of logged)
    expect(line).toMatchObject({ level: 20, method: "GET", path: "/", status: 200, ms: expect.any(Number) });
  expect(site.log.join()).not.toContain("page=2");
});
