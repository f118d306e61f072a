import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Database } from "../../src/database/open.server.ts";
import { type ShowPage, showPage } from "../../src/domain/show.ts";
import { readMetrics } from "../support/metrics.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type Programme, replaceProgramme, showId, userId } from "../support/programme.ts";
import { startRelay } from "../support/relay.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";

/** 45 shows by title, the first three reviewed: Show 02 last, and by two people. */
const programme: Programme = {
  shows: Array.from({ length: 45 }, (_, index) => ({
    title: `Show ${String(index).padStart(2, "0")}`,
    artist: index % 2 ? "Zoë Quill" : null,
    venue_name: "The Upturned Teacup",
    listed: true,
    year: 2025,
    status: "active",
  })),
  reviews: [
    { show: 0, user: 0, interaction: "no", at: 1 },
    { show: 1, user: 0, interaction: "very_little", at: 2 },
    { show: 2, user: 0, interaction: "yes", at: 3 },
    { show: 2, user: 1, interaction: "yes", at: 4 },
  ],
};

let database: Database;
let site: Site;

beforeAll(async () => {
  database = await createTestDatabase();
  await replaceProgramme(database.db, programme);
  await pretendRefreshed(database.db);
  site = await startSite({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await site.end();
  await database.close();
});

async function list(query: string, from = site): Promise<ShowPage> {
  const answer = await from.api(`/api/shows${query}`);
  expect(answer.status).toBe(200);
  return showPage.parse(await answer.json());
}
const titles = (page: ShowPage) => page.shows.map((show) => show.title);

test("the first page holds 20 of all shows, those reviewed last first", async () => {
  const page = await list("");
  expect(page).toMatchObject({ year: 2025, page: 1, page_size: 20, total: 45 });
  expect(titles(page).slice(0, 5)).toEqual(["Show 02", "Show 01", "Show 00", "Show 03", "Show 04"]);
  expect(page.shows[0]?.reviews).toEqual({ no: 0, very_little: 0, yes: 2, latest_at: "2025-08-01T00:04:00.000Z" });
});

test("thousands of parameters that mean nothing change nothing, and hold nobody up", async () => {
  const cpuSeconds = async () => (await readMetrics(site.origin)).get("process_cpu_seconds_total") ?? expect.fail();
  const before = await cpuSeconds();
  const junk = Array.from({ length: 4_000 }, (_, index) => index.toString(36)).join("&");
  for (let time = 0; time < 300; time++) {
    expect((await site.api(`/api/shows?page=2&${junk}`)).ok).toBe(true);
  }
  // Looking for each name among all of them took half a minute. Of the processor's time: the clock's goes to others, too.
  expect((await cpuSeconds()) - before).toBeLessThan(10);
  expect(await list(`?page=2&${junk}`)).toEqual(await list("?page=2"));
});

test("a page past the end answers the last page and says which", async () => {
  expect(await list("?page=99999999999999999999")).toMatchObject({ page: 3, total: 45 });
});

test("a search is cleaned, not refused", async () => {
  expect(await list("?search=%20%3Cscript%3Ealert(1)%3C/script%3EZOE%20")).toMatchObject({ total: 22 });
  expect((await list(`?search=${"x".repeat(5_000)}`)).total).toBe(0);
  expect((await list("?search=%25")).total).toBe(0);
});

test("filters keep shows with any of the chosen answers", async () => {
  expect(titles(await list("?interaction=yes&interaction=no"))).toEqual(["Show 02", "Show 00"]);
});

test("reviews=none answers shows alone, by title, whatever the filter", async () => {
  const page = await list("?reviews=none&interaction=yes");
  expect(titles(page).slice(0, 3)).toEqual(["Show 00", "Show 01", "Show 02"]);
  expect(page.total).toBe(45);
  expect(page.shows.every((show) => !("reviews" in show))).toBe(true);
});

const error = z.strictObject({ code: z.string(), message: z.string().min(1) });

test.each([
  "?page=0",
  "?page=-1",
  "?page=1.5",
  "?page=1e3",
  "?page=",
  "?page=two",
  "?page=1&page=2",
  "?interaction=maybe",
  "?interaction=",
  "?interaction=no&interaction=NO",
  "?search=a&search=b",
  "?reviews=all",
])("%s is refused as an invalid query that says what is wrong", async (query) => {
  const answer = await site.api(`/api/shows${query}`);
  expect(answer.status).toBe(400);
  expect(error.parse(await answer.json()).code).toBe("invalid_query");
});

test.each([undefined, "", "other"])("a call with the client key %j is refused", async (apikey) => {
  const headers = apikey === undefined ? undefined : { apikey };
  const answer = await fetch(`${site.origin}/api/shows`, headers && { headers });
  expect(answer.status).toBe(401);
  expect(error.parse(await answer.json()).code).toBe("invalid_client_key");
});

test.each([
  ["/api/shows", "GET, HEAD"],
  ["/api/reviews", "GET, HEAD, PUT"],
  ["/api/reviews/mine", "GET, HEAD"],
])("what %s does not do is refused with what it does", async (path, allowed) => {
  for (const method of ["POST", "PATCH", "DELETE", "OPTIONS"]) {
    const answer = await fetch(site.origin + path, { method, headers: { apikey: "front-row-public" } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
    expect(error.parse(await answer.json()).code).toBe("method_not_allowed");
  }
});

test("what the API does not have is a 404 in JSON", async () => {
  const answer = await site.api("/api/nothing");
  expect(answer.status).toBe(404);
  expect(error.parse(await answer.json()).code).toBe("not_found");
});

test("the description of the API needs no key and describes the list", async () => {
  const answer = await fetch(`${site.origin}/api/openapi.json`);
  expect(await answer.json()).toMatchObject({ openapi: "3.1.0", paths: { "/api/shows": { get: {} } } });
});

test.each(["/", "/api/shows"])(
  "%s comes compressed and with an ETag, and is not sent again to who has it",
  async (path) => {
    const first = await site.api(path, { "accept-encoding": "br" });
    expect(first.headers.get("content-encoding")).toBe("br");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await site.api(path, { "accept-encoding": "br", "if-none-match": `"other", ${etag}` })).status).toBe(304);
    expect((await site.api(path, { "accept-encoding": "gzip", "if-none-match": etag })).status).toBe(200);
  },
);

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["BR", "br"],
  ["*", "br"],
  ["gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.6", "gzip"],
  ["br;q=0, *;q=0.1", "gzip"],
  ["identity, br;q=0.1", null],
  ["gzip;q=0", null],
  ["deflate, zstd", null],
])("of what a client takes, %j, the smallest is sent that it likes best", async (accepted, expected) => {
  const answer = await site.api("/api/shows", { "accept-encoding": accepted });
  expect(answer.headers.get("content-encoding")).toBe(expected);
});

test("what makes no sense in a page's address gives the same page as no address at all", async () => {
  const page = async (path: string) => (await fetch(site.origin + path)).text();
  expect(await page("/?page=zero&interaction=maybe&utm_source=poster")).toBe(await page("/"));
});

test("pages that never change are rendered once, one for every address that is none of ours", async () => {
  const ours = ["/auth", "/auth?error=access_denied", "/auth/"];
  const none = Array.from({ length: 12 }, (_, n) => `/none/${n}?${n}`);
  for (const [paths, status] of [
    [ours, 200],
    [none, 404],
  ] as const) {
    const answers = await Promise.all(paths.map((path) => fetch(site.origin + path)));
    expect(answers.map((answer) => answer.status)).toEqual(paths.map(() => status));
    const etags = new Set(answers.map(({ headers }) => headers.get("etag")));
    expect([...etags]).toEqual([expect.stringMatching(/^"[\w-]{22}-gzip"$/)]);
    for (const { headers } of answers) expect(headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  }
});

test("a page that the browser has is not sent again, but that there is none is always said", async () => {
  for (const [path, status] of [
    ["/auth", 304],
    ["/none", 404],
  ] as const) {
    const etag = (await fetch(site.origin + path)).headers.get("etag") ?? "";
    expect((await fetch(site.origin + path, { headers: { "If-None-Match": etag } })).status).toBe(status);
  }
});

test.each(["//", "///?search=Show+30", "/%61uth", "/AUTH", "/auth.html"])(
  "%s is the page that the browser takes it for, and the same one as at its own address",
  async (path) => {
    const page = async (address: string) => {
      const { status, body } = await ask("GET", address);
      return [status, body];
    };
    const own = path.startsWith("//") ? path.replace(/^\/+/, "/") : path === "/%61uth" ? "/auth" : "/none";
    expect(await page(path)).toEqual(await page(own));
  },
);

describe("nobody fills the log", () => {
  beforeEach(() => {
    site.log.length = 0;
  });
  afterEach(() => expect(site.log).toEqual([]));

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE"])(
    "who sends %s to a page is told that it is only read",
    async (method) => {
      for (const path of ["/", "/?search=cats", "/auth", "/auth.data", "/no/such/page", "/favicon.svg", "/healthz"]) {
        const { status, headers, body } = await ask(method, path);
        expect([status, JSON.parse(body).code, headers.allow]).toEqual([405, "method_not_allowed", "GET, HEAD"]);
      }
    },
  );

  test.each(["/%", "/%ff", "/%E0%A4%A", "/a%2fb%", "/assets/%c0%ae%c0%ae/x"])(
    "a path that cannot be decoded is no page: %s",
    async (path) => {
      const { status, body } = await ask("GET", path);
      expect([status, body.includes("Oops! Page not found")]).toEqual([404, true]);
    },
  );
});

/** Also what `fetch` would not send. */
async function ask(method: string, path: string) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(site.origin + path, { method }, resolve)
      .on("error", reject)
      .end();
  });
  const { statusCode: status, headers } = answer;
  return { status, headers, body: await text(answer) };
}

// How soon, when nothing else runs, `npm run test:soak` measures.
test("a review shows soon on every instance, and its end too", async () => {
  const other = await startSite({ DATABASE_URL: database.url });
  const tallies = async (from: Site) => (await list("?search=Show%2030", from)).shows[0]?.reviews;
  const review = { show_id: showId(30), user_id: userId(5), audience_interaction: "yes" as const };
  await database.db.insertInto("reviews").values(review).execute();
  const untilCounted = async (yes: number) => {
    for (const from of [site, other]) {
      await vi.waitFor(async () => expect(await tallies(from)).toMatchObject({ yes }), 10_000);
    }
  };
  await untilCounted(1);
  expect(titles(await list("", other))[0]).toBe("Show 30");
  await database.db.deleteFrom("reviews").where("show_id", "=", showId(30)).execute();
  await untilCounted(0);
  await other.end();
});

test("with the database gone browsing goes on and /readyz says so; when it is back, what was missed is caught up", async () => {
  const way = await startRelay(database.url);
  const apart = await startSite({ DATABASE_URL: way.url });
  const readyz = async () => {
    const answer = await fetch(`${apart.origin}/readyz`);
    return {
      status: answer.status,
      ...z.object({ database: z.string(), shows: z.number() }).parse(await answer.json()),
    };
  };
  const untilReady = (database: string) =>
    vi.waitFor(async () => expect(await readyz()).toEqual({ status: 200, database, shows: 45 }), 10_000);
  await untilReady("up");

  way.cut();
  await untilReady("down");
  expect((await list("?search=Show%2030", apart)).total).toBe(1);
  expect(await (await fetch(apart.origin)).text()).toContain("Showing 1-20 of 45 shows for 2025");
  await database.db
    .insertInto("reviews")
    .values({ show_id: showId(40), user_id: userId(5), audience_interaction: "no" })
    .execute();

  way.restore();
  await vi.waitFor(async () => expect(titles(await list("", apart))[0]).toBe("Show 40"), 20_000);
  await untilReady("up");
  expect(await apart.end()).toBe(0);
  await database.db.deleteFrom("reviews").where("show_id", "=", showId(40)).execute();
  await way.close();
});

test("while tallies cannot be read, shows are listed alone and nobody is told that there are no reviews", async () => {
  await sql`alter table tallies rename to tallies_away`.execute(database.db);
  const apart = await startSite({ DATABASE_URL: database.url });
  const page = await list("?interaction=yes", apart);
  expect(page.total).toBe(45);
  expect(page.shows[0]).toEqual({ ...page.shows[0], title: "Show 00", reviews: undefined });
  const html = await (await fetch(apart.origin)).text();
  expect(html).toContain("Reviews can’t be loaded right now.".replace("’", "&#x27;"));
  expect(html).not.toContain("No reviews yet");
  await sql`alter table tallies_away rename to tallies`.execute(database.db);
  await vi.waitFor(async () => expect(titles(await list("", apart))[0]).toBe("Show 02"), 10_000);
  await apart.end();
});
