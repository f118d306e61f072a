import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { type Catalogue, createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { Show } from "../../src/domain/show.ts";
import { createReplay } from "../../src/http/cache/replay.server.ts";
import { listenHttp } from "../../src/http/listener/http-server.server.ts";
import type { RecordRequest } from "../../src/http/observability/record-requests.server.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createNotesCache, type NotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { rounds } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openRaw, statusesIn } from "../support/raw.ts";
import { snapshotOf } from "../support/snapshot.ts";

let database: Database;
let site: Site;

/** The built app, served as it is and with the shortcut in front of it. */
interface Site {
  app: string;
  replaying: string;
  catalogue: Catalogue;
  notes: NotesCache;
  /** Until what comes back is called, the app itself answers nothing. */
  hold: () => () => void;
  /** How many requests the app itself was asked. */
  asked: () => number;
  readMetrics: () => Promise<string>;
  log: string[];
  close: () => Promise<void>;
}

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  site = await serve();
  return site.close;
});

const shows = Array.from({ length: 45 }, (_, index): Show => {
  const id = `show-${index}`;
  const title = `Show ${index}`;
  const nothing = { website: null, artist: null, venue_name: null, genre: null, description: null };
  return { id, title, ...nothing, year: 2025, status: "active" };
});

/** @param maxStale none unless given: both ways are asked one after the other, and time goes by */
async function serve(maxStale = 0): Promise<Site> {
  const log: string[] = [];
  const catalogue = createCatalogue();
  await catalogue.replace(snapshotOf(shows));
  const notes = createNotesCache(database.db);
  let note: RecordRequest = () => {};
  const replay = createReplay((...noted) => note(...noted));
  const { fetch, recordRequest, metrics } = await createBuiltApp(database, {
    catalogue,
    notes,
    trustedProxies: ["127.0.0.1"],
    log: createLogger("debug", { write: (line) => log.push(line) }),
    replay,
    maxStale,
    clientFiles: fileURLToPath(new URL("../../build/client", import.meta.url)),
  });
  note = recordRequest;
  let asked = 0;
  let held = Promise.resolve();
  const app: typeof fetch = async (...request) => {
    asked++;
    await held;
    return fetch(...request);
  };
  const direct = await listen(getRequestListener(app));
  const replaying = await listen(replay.wrap(getRequestListener(app)));
  return {
    app: direct.origin,
    replaying: replaying.origin,
    catalogue,
    notes,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    asked: () => asked,
    readMetrics: () => metrics.registry.metrics(),
    log,
    close: async () => void (await Promise.all([direct.close(0), replaying.close(0)])),
  };
}

async function listen(listener: RequestListener) {
  const port = await freePort();
  const server = await listenHttp("127.0.0.1", port);
  server.serve(listener);
  return { ...server, origin: `http://127.0.0.1:${port}` };
}

interface Asked {
  method?: string;
  target?: string;
  version?: string;
  headers?: [name: string, value: string][];
}

const host: [string, string] = ["Host", "front-row.example"];
const key: [string, string] = ["apikey", "front-row-public"];

/** Every byte of the answer but the time. */
async function ask(origin: string, { method = "GET", target = "/", version = "1.1", headers = [host, key] }: Asked) {
  const connection = await openRaw(origin);
  // To HEAD the length is told of what does not come: its end is the connection's, and nothing else may be said of that.
  const close: [string, string] = ["Connection", "close"];
  const all = method === "HEAD" ? [...headers.filter(([name]) => name !== "Connection"), close] : headers;
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  connection.socket.write(`${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n`);
  const whole = method === "HEAD" ? connection.ended : connection.receives(1);
  const received = await Promise.race([whole, connection.ended]);
  connection.socket.destroy();
  return received.replace(/^date: .*\r\n/im, "");
}

const etagIn = (answer: string) => /^etag: (.*)\r$/im.exec(answer)?.[1] ?? "";

const targets = [
  "/", "/?page=2", "/?page=2&x=y", "/?search=show+1", "/?interaction=yes", "/auth", "/auth?error=x", "/auth/", "/AUTH", "//", "/nowhere",
  "/api/shows", "/api/shows?page=2", "/api/shows?search=Show%204", "/api/shows?reviews=none", "/api/shows?page=x", "/%61pi/shows",
  "/api/reviews?show_id=show-1", "/api/reviews?show_id=show-1&show_id=gone", "/api/reviews", "/api/nothing", "/auth.data", "/healthz",
  "/favicon.svg", "/favicon.svg?x=y", "/favicon%2esvg", "/assets/gone.js",
  "http://front-row.example/", "http://elsewhere.example/api/shows", "*", "/a\\b",
]; // biome-ignore format: a table of addresses
const encodings = [
  "br", "gzip", "identity", "", "*", "gzip, deflate, br, zstd", "br;q=0, gzip", "br;q=0.5, gzip;q=0.6", "BR", "identity;q=0", "x;;q", "undefined",
]; // biome-ignore format: a table of encodings

/** What a header may say: mostly one of these, or it is not there. */
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
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** Lists, most of which nobody has asked for before, and some of which nobody can be given. */
const lists = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constant("search"),
        fc.oneof(
          fc.stringMatching(/^[show 0-4]{0,6}$/).map((text) => encodeURIComponent(text)),
          fc.constantFrom(
            "a+b",
            "%",
            "%zz",
            "%C3%A9",
            "é",
            '"',
            "<script>",
            "a%00b",
            "#x",
            "x#y",
            "\\",
            "|",
            "=",
            "%26",
            "?",
          ),
        ),
      ),
      fc.tuple(fc.constant("interaction"), mostly("yes", "no", "very_little", "maybe", "")),
      fc.tuple(fc.constant("page"), mostly("1", "2", "3", "4000", "0", "x", "+1", "1.0", "")),
      fc.tuple(fc.constantFrom("reviews", "other", "pag%65", ""), fc.constantFrom("none", "all", "1")),
    ),
    { maxLength: 4 },
  )
  .map((parameters) => `/api/shows?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`);

const line = fc.record({
  method: mostly("GET", "HEAD", "POST", "OPTIONS", "PURGE"),
  target: fc.oneof(fc.constantFrom(...targets), lists),
  version: mostly("1.1", "1.0"),
});

/** Two requests of which one has a header that the other has not, or in another way; in the place of "its own" the tag that was answered. */
const pairs = fc
  .record({ line, headers, others: headers, differing: fc.nat(8) })
  .map(({ line, headers, others, differing }) => (etag: string): [Asked, Asked] => {
    const asking = (all: ([string, string] | null)[]) => ({
      ...line,
      headers: all
        .filter((one) => one !== null)
        .map(([name, value]): [string, string] => [name, value.replace("its own", etag)]),
    });
    const other = headers.map((one, index) => (index === differing ? (others[index] ?? null) : one));
    return [asking(headers), asking(other)];
  });

/** What happens to the site. */
const changes = fc.constantFrom("a review", "a note", "a refresh", ...Array<string>(7).fill("nothing"));

let moments = 0;

async function change(what: string): Promise<void> {
  const latest_at = new Date(Date.UTC(2025, 7, 1) + moments++).toISOString();
  if (what === "a review") {
    site.catalogue.updateTallies("show-3", { no: 0, very_little: 0, yes: moments, latest_at, revision: moments });
  }
  if (what === "a note") site.notes.invalidateAll();
  if (what === "a refresh") await site.catalogue.replace(snapshotOf(shows.slice(moments % 2)));
}

test("whatever is asked, and whatever changes, a replay answers every byte as the app does", async () => {
  let replayed = 0;
  await fc.assert(
    fc.asyncProperty(pairs, changes, async (pair, event) => {
      const [asked, other] = pair(etagIn(await ask(site.app, { ...pair("")[0], method: "GET" })));
      const before = await ask(site.app, asked);
      for (let time = 0; time < 2; time++) expect(await ask(site.replaying, asked)).toBe(before);
      const had = site.asked();
      expect(await ask(site.replaying, asked)).toBe(before);
      if (site.asked() === had) replayed++;
      expect(await ask(site.replaying, other)).toBe(await ask(site.app, other));
      await change(event);
      expect(await ask(site.replaying, asked)).toBe(await ask(site.app, asked));
    }),
    { ...rounds(200), interruptAfterTimeLimit: 30_000 },
  );
  // Otherwise nothing would have been compared.
  expect(replayed).toBeGreaterThan(20);
}, 60_000);

test("a repeated request is answered without the app, until what the response was made from changes", async () => {
  const searched = { target: "/?search=show" };
  const before = await ask(site.replaying, searched);
  expect(site.asked()).toBe(1);
  expect(await ask(site.replaying, searched)).toBe(before);
  expect(site.asked()).toBe(1);
  await change("a review");
  const after = await ask(site.replaying, searched);
  expect(site.asked()).toBe(2);
  expect(etagIn(after)).not.toBe(etagIn(before));
});

test("a stale page is replayed only as long as it may be stale", async () => {
  const maxStale = 60_000;
  site = await serve(maxStale);
  onTestFinished(site.close);
  let ahead = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
  onTestFinished(() => void clock.mockRestore());
  for (let time = 0; time < 8; time++) {
    await change("a review");
    await ask(site.replaying, { target: "/" });
  }
  // In another spelling: what was recorded of the page before the last review tells nothing of it.
  const asked = { target: "/?x=y" };
  for (let time = 0; time < 2; time++) await ask(site.replaying, asked);
  const had = site.asked();
  const stale = await ask(site.replaying, asked);
  expect(site.asked()).toBe(had);
  ahead = maxStale;
  const current = await ask(site.replaying, asked);
  expect(current).not.toBe(stale);
  expect(current).toBe(await ask(site.app, asked));
});

test("what is not found and what is refused is not replayed", async () => {
  for (const target of ["/nowhere", "/api/shows?page=x", "/api/nothing"]) {
    const before = site.asked();
    for (let time = 0; time < 3; time++) await ask(site.replaying, { target });
    expect(site.asked() - before).toBe(3);
  }
});

test("a client is counted for replays too, and refused by the app", async () => {
  const request = (client: string) => `GET / HTTP/1.1\r\nHost: front-row.example\r\nX-Forwarded-For: ${client}\r\n\r\n`;
  const askOften = async (origin: string, client: string, times: number) => {
    const connection = await openRaw(origin);
    connection.socket.write(request(client).repeat(times));
    const statuses = statusesIn(await connection.receives(times));
    connection.socket.destroy();
    return statuses;
  };
  for (let time = 0; time < 10; time++) {
    expect(await askOften(site.replaying, "203.0.113.7", 30)).toEqual(Array(30).fill(200));
  }
  expect(site.asked()).toBeLessThan(40);
  expect(await askOften(site.replaying, "203.0.113.7", 2)).toEqual([429, 429]);
  expect(await askOften(site.app, "203.0.113.7", 1)).toEqual([429]);
  expect(await askOften(site.replaying, "203.0.113.8", 1)).toEqual([200]);
});

test("every replayed request is counted and logged as the app does it", async () => {
  for (let time = 0; time < 5; time++) await ask(site.replaying, { target: "/?page=2" });
  expect(site.asked()).toBe(1);
  expect(await site.readMetrics()).toMatch(/duration_seconds_count\{method="GET",route="\/",status="200"\} 5$/m);
  const logged = site.log.map((line) => JSON.parse(line));
  expect(logged).toHaveLength(5);
  for (const line of logged) {
    expect(line).toMatchObject({ level: 20, method: "GET", path: "/", status: 200, ms: expect.any(Number) });
  }
  expect(site.log.join()).not.toContain("page=2");
});
