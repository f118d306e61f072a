import type { RequestListener } from "node:http";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import type { Show } from "../../src/domain/show.ts";
import { listenHttp } from "../../src/http/listen.server.ts";
import type { NoteRequest } from "../../src/http/note-requests.server.ts";
import { createShortcut } from "../../src/http/shortcut.server.ts";
import { createLog } from "../../src/log.server.ts";
import { createNotes, type Notes } from "../../src/reviews/notes.server.ts";
import { type Catalogue, createCatalogue } from "../../src/shows/catalogue.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { freePort } from "../support/free-port.ts";
import { rounds } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openRaw, statusesIn } from "../support/raw.ts";
import { sourceOf } from "../support/show-source.ts";

let database: Database;
let site: Site;

/** The built app, served as it is and with the shortcut in front of it. */
interface Site {
  long: string;
  short: string;
  catalogue: Catalogue;
  notes: Notes;
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

/** @param lag none unless given: both ways are asked one after the other, and time goes by */
async function serve(lag = 0): Promise<Site> {
  const log: string[] = [];
  const catalogue = createCatalogue();
  await catalogue.replace(sourceOf(shows));
  const notes = createNotes(database.db);
  let note: NoteRequest = () => {};
  const front = createShortcut((...noted) => note(...noted));
  const { fetch, noteRequest, metrics } = await createBuiltApp(database, {
    catalogue,
    notes,
    trustedProxies: ["127.0.0.1"],
    log: createLog("debug", { write: (line) => log.push(line) }),
    front,
    lag,
    clientFiles: fileURLToPath(new URL("../../build/client", import.meta.url)),
  });
  note = noteRequest;
  let asked = 0;
  let held = Promise.resolve();
  const app: typeof fetch = async (...request) => {
    asked++;
    await held;
    return fetch(...request);
  };
  const long = await listen(getRequestListener(app));
  const short = await listen(front.inFrontOf(getRequestListener(app)));
  return {
    long: long.origin,
    short: short.origin,
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
    close: async () => void (await Promise.all([long.close(0), short.close(0)])),
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
  if (what === "a note") site.notes.forgetAll();
  if (what === "a refresh") await site.catalogue.replace(sourceOf(shows.slice(moments % 2)));
}

test("whatever is asked, and whatever changes, the short way answers every byte as the long way does", async () => {
  let short = 0;
  await fc.assert(
    fc.asyncProperty(pairs, changes, async (pair, event) => {
      const [asked, other] = pair(etagIn(await ask(site.long, { ...pair("")[0], method: "GET" })));
      const before = await ask(site.long, asked);
      for (let time = 0; time < 2; time++) expect(await ask(site.short, asked)).toBe(before);
      const had = site.asked();
      expect(await ask(site.short, asked)).toBe(before);
      if (site.asked() === had) short++;
      expect(await ask(site.short, other)).toBe(await ask(site.long, other));
      await change(event);
      expect(await ask(site.short, asked)).toBe(await ask(site.long, asked));
    }),
    { ...rounds(200), interruptAfterTimeLimit: 30_000 },
  );
  // Otherwise nothing would have been compared.
  expect(short).toBeGreaterThan(20);
}, 60_000);

test("a built file that was sent before is sent again without the app, and a part of it as such", async () => {
  const asked = { target: "/favicon.svg", headers: [host, ["Accept-Encoding", "gzip"]] } satisfies Asked;
  const part = { ...asked, headers: [host, ["Range", "bytes=0-9"]] } satisfies Asked;
  for (let time = 0; time < 2; time++) expect(await ask(site.short, asked)).toMatch(/content-encoding: gzip/i);
  const had = site.asked();
  await ask(site.short, asked);
  expect(site.asked()).toBe(had);
  expect(await ask(site.short, part)).toMatch(/^HTTP\/1.1 206/);
});

test("an answer that was given before is given again without the app, until what it was made from changes", async () => {
  const searched = { target: "/?search=show" };
  for (let time = 0; time < 2; time++) await ask(site.short, searched);
  expect(site.asked()).toBe(2);
  const before = await ask(site.short, searched);
  expect(site.asked()).toBe(2);
  await change("a review");
  const after = await ask(site.short, searched);
  expect(site.asked()).toBe(3);
  expect(etagIn(after)).not.toBe(etagIn(before));
});

test("a page that was behind when it was sent is given again only as long as it may be behind", async () => {
  const lag = 60_000;
  site = await serve(lag);
  onTestFinished(site.close);
  let ahead = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
  onTestFinished(() => void clock.mockRestore());
  for (let time = 0; time < 8; time++) {
    await change("a review");
    await ask(site.short, { target: "/" });
  }
  // In another spelling: what the front has of the page since before the last review tells nothing of it.
  const asked = { target: "/?x=y" };
  for (let time = 0; time < 2; time++) await ask(site.short, asked);
  const had = site.asked();
  const behind = await ask(site.short, asked);
  expect(site.asked()).toBe(had);
  ahead = lag;
  const current = await ask(site.short, asked); // the long way would tell the front
  expect(current).not.toBe(behind);
  expect(current).toBe(await ask(site.long, asked));
});

test("a list that nobody has asked for before is made without the app, once it knows a client's way of asking", async () => {
  const asking = (target: string, encoding: string): Asked => {
    return { target, headers: [host, key, ["Accept-Encoding", encoding]] };
  };
  await ask(site.short, asking("/api/shows", "identity"));
  expect(site.asked()).toBe(1);
  for (const search of ["1", "2", "nothing+at+all"]) {
    const answer = await ask(site.short, asking(`/api/shows?search=${search}`, "identity"));
    expect(answer).toBe(await ask(site.long, asking(`/api/shows?search=${search}`, "identity")));
  }
  expect(site.asked()).toBe(1 + 3);
  await ask(site.short, asking("/api/shows?search=3", "identity, br;q=0.1"));
  expect(site.asked()).toBe(1 + 3 + 1);
  await change("a review");
  const target = "/api/shows?search=show+3&interaction=yes";
  expect(await ask(site.short, asking(target, "identity"))).toContain(`"yes":${moments}`);
  expect(site.asked()).toBe(1 + 3 + 1);
  expect(await site.readMetrics()).toMatch(
    /duration_seconds_count\{method="GET",route="\/api\/shows",status="200"\} 9$/m,
  );
});

test("from an address with a host of its own nothing is learned of the host that the request names", async () => {
  const headers: Asked["headers"] = [["Host", "a b"], key];
  expect(await ask(site.short, { target: "http://front-row.example/api/shows", headers })).toContain("200 OK");
  const refused = await ask(site.short, { target: "/api/shows", headers });
  expect(refused).toContain("400 Bad Request");
  expect(refused).toBe(await ask(site.long, { target: "/api/shows", headers }));
});

test("lists that wait to be sent stay as they are, whatever else is answered meanwhile", async () => {
  const searched = (search: number) => `/api/shows?search=show+${search}`;
  await ask(site.short, { target: "/api/shows" });
  const release = site.hold();
  const connection = await openRaw(site.short);
  const waiting = [1, 2, 3, 4, 5].map(searched);
  const request = (target: string) => `GET ${target} HTTP/1.1\r\nHost: ${host[1]}\r\napikey: ${key[1]}\r\n\r\n`;
  connection.socket.write(["/nowhere", ...waiting].map(request).join(""));
  await vi.waitFor(() => expect(site.log).toHaveLength(1 + waiting.length));
  for (const search of [6, 7, 8, 9]) await ask(site.short, { target: searched(search) });
  release();
  const received = (await connection.receives(1 + waiting.length)).replace(/^date: .*\r\n/gim, "");
  connection.socket.destroy();
  for (const target of waiting) expect(received).toContain(await ask(site.long, { target }));
});

test("a list that is given again is as it was, whatever was sent in between", async () => {
  await ask(site.short, { target: "/api/shows" });
  const targets = [4, 5, 6].map((search) => `/api/shows?search=show+${search}`);
  const askAll = async () => {
    const answers: string[] = [];
    for (const target of targets) answers.push(await ask(site.short, { target }));
    return answers;
  };
  const first = await askAll();
  expect(new Set(first).size).toBe(targets.length);
  for (let time = 0; time < 3; time++) expect(await askAll()).toEqual(first);
  expect(site.asked()).toBe(1);
});

test("whoever asks for lists that were never made is counted, and refused by the app", async () => {
  const client: [string, string] = ["X-Forwarded-For", "203.0.113.9"];
  const asking = (page: number): Asked => ({ target: `/api/shows?page=${page}`, headers: [host, key, client] });
  expect(statusesIn(await ask(site.short, asking(1)))).toEqual([200]);
  const lines = [host, key, client].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const connection = await openRaw(site.short);
  for (let asked = 0; asked < 999; asked += 27) {
    const pages = Array.from({ length: 27 }, (_, index) => asked + index + 2);
    connection.socket.write(pages.map((page) => `GET ${asking(page).target} HTTP/1.1\r\n${lines}\r\n`).join(""));
    await connection.receives(asked + 27);
  }
  expect(new Set(statusesIn(connection.received()))).toEqual(new Set([200]));
  connection.socket.destroy();
  expect(site.asked()).toBe(1);
  expect(statusesIn(await ask(site.short, asking(2_000)))).toEqual([429]);
  expect(statusesIn(await ask(site.long, asking(2_000)))).toEqual([429]);
});

test("the notes of all shows on a page are given again, until somebody writes one or the list changes", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index).padStart(40, "0"));
  const listed = shows.slice(0, 20).map((show, index) => ({ ...show, id: ids[index] ?? "" }));
  await site.catalogue.replace(sourceOf(listed));
  const target = `/api/reviews?${ids.map((id) => `show_id=${id}`).join("&")}`;
  const appIsAsked = async (times: number) => {
    const before = site.asked();
    for (let time = 0; time < times; time++) expect(statusesIn(await ask(site.short, { target }))).toEqual([200]);
    return site.asked() - before;
  };
  expect(await appIsAsked(5)).toBe(2);
  site.notes.forgetAll();
  expect(await appIsAsked(1)).toBe(1);
  await site.catalogue.replace(sourceOf(listed.slice(1)));
  expect(await appIsAsked(1)).toBe(1);
});

test("what is asked once, what is not found and what is refused is not remembered", async () => {
  for (const target of ["/nowhere", "/api/shows?page=x", "/api/nothing"]) {
    const before = site.asked();
    for (let time = 0; time < 3; time++) await ask(site.short, { target });
    expect(site.asked() - before).toBe(3);
  }
});

test("a client is counted on both ways, and refused by the app with an answer that is the same on both", async () => {
  const request = (client: string) => `GET / HTTP/1.1\r\nHost: front-row.example\r\nX-Forwarded-For: ${client}\r\n\r\n`;
  const askOften = async (origin: string, client: string, times: number) => {
    const connection = await openRaw(origin);
    connection.socket.write(request(client).repeat(times));
    const statuses = statusesIn(await connection.receives(times));
    connection.socket.destroy();
    return statuses;
  };
  for (let time = 0; time < 10; time++) {
    expect(await askOften(site.short, "203.0.113.7", 30)).toEqual(Array(30).fill(200));
  }
  expect(site.asked()).toBeLessThan(40);
  expect(await askOften(site.short, "203.0.113.7", 2)).toEqual([429, 429]);
  expect(await askOften(site.long, "203.0.113.7", 1)).toEqual([429]);
  expect(await askOften(site.short, "203.0.113.8", 1)).toEqual([200]);
});

test("every request is noted as the app notes it", async () => {
  for (let time = 0; time < 5; time++) await ask(site.short, { target: "/?page=2" });
  expect(site.asked()).toBe(2);
  expect(await site.readMetrics()).toMatch(/duration_seconds_count\{method="GET",route="\/",status="200"\} 5$/m);
  const logged = site.log.map((line) => JSON.parse(line));
  expect(logged).toHaveLength(5);
  for (const line of logged) {
    expect(line).toMatchObject({ level: 20, method: "GET", path: "/", status: 200, ms: expect.any(Number) });
  }
  expect(site.log.join()).not.toContain("page=2");
});
