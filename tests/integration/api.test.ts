import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { type ShowPage, showPage } from "../../src/domain/show.ts";
import { routes } from "../../src/server/routes.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { type Programme, replaceProgramme } from "../support/programme.ts";
import { sendRequest } from "../support/request-with-host.ts";
import { openTestSite, setUpDatabase, setUpSite } from "../support/set-up.ts";

/** One show in three declares audience participation, one has other warnings, and one has none. */
const warnings = [["Nudity", "Audience participation"], ["Nudity"], null];

/** 45 shows, sorted by title. The first seven have reviews: Show 02 has the latest two, Shows 03 to 05 have at least five. */
const programme: Programme = {
  shows: Array.from({ length: 45 }, (_, index) => ({
    title: `Show ${String(index).padStart(2, "0")}`,
    artist: index % 2 ? "Zoë Quill" : null,
    venue_name: "The Upturned Teacup",
    listed: true,
    year: YEAR,
    status: "active",
    warnings: warnings[index % 3] ?? null,
    genre: index % 3 === 0 ? "Comedy" : null,
  })),
  reviews: [
    { show: 0, user: 0, interaction: "no", at: 1 },
    { show: 1, user: 0, interaction: "very_little", at: 2 },
    { show: 2, user: 0, interaction: "yes", at: 3 },
    { show: 2, user: 1, interaction: "yes", at: 4 },
    ...[0, 1, 2, 3, 4].map((user) => ({ show: 3, user, interaction: "very_little" as const, at: 0 })),
    // A majority, but a small one. Show 05 has no majority, Show 06 only few reviews.
    ...[0, 1, 2, 3, 4].map((user) => ({
      show: 4,
      user,
      interaction: user < 3 ? ("yes" as const) : ("very_little" as const),
      at: 0,
    })),
    ...[0, 1, 2, 3, 4, 5].map((user) => ({
      show: 5,
      user,
      interaction: user < 3 ? ("yes" as const) : ("very_little" as const),
      at: 0,
    })),
    ...[0, 1, 2, 3].map((user) => ({ show: 6, user, interaction: "yes" as const, at: 0 })),
  ],
};

const database = await setUpDatabase();
const { db } = database;
await replaceProgramme(db, programme);
const site = await setUpSite(database);

async function list(query: string, from = site): Promise<ShowPage> {
  const response = await from.api(`/api/shows${query}`);
  expect(response.status).toBe(200);
  return showPage.parse(await response.json());
}
const titles = (page: ShowPage) => page.shows.map((show) => show.title);

test("the first page holds 20 shows, the most recently reviewed first", async () => {
  const page = await list("");
  expect(page).toMatchObject({ year: YEAR, page: 1, page_size: 20, total: 45 });
  expect(titles(page).slice(0, 5)).toEqual(["Show 02", "Show 01", "Show 00", "Show 03", "Show 04"]);
  const counts = { no: 0, very_little: 0, yes: 2, total: 2, few: true };
  expect(page.shows[0]?.reviews).toMatchObject({ ...counts, latest_at: `${YEAR}-08-01T00:04:00.000Z` });
});

test.each([
  ["page=99999999999999999999", 45, 40, 41, 42, 43, 44],
  ["search=%20%3Cscript%3Ealert(1)%3C/script%3EZOE%20&announced=no", 8, 1, 7, 13, 19, 25, 31, 37, 43],
  [`search=${"x".repeat(1_900)}`, 0],
  ["search=%25", 0],
  ["interaction=yes&interaction=no", 5, 2, 0, 4, 5, 6],
  ["announced=unknown&interaction=yes", 2, 2, 5],
  ["announced=no&search=show 1&page=9", 4, 10, 13, 16, 19],
  ["yes=none", 1, 3],
  ["yes=none&announced=yes&interaction=very_little&search=show&page=2", 1, 3],
  ["yes=none&announced=no&utm_source=poster&a&b", 0],
  ["yes=most", 1, 4],
  ["yes=most&interaction=no", 0],
  ["genre=Comedy", 15, 0, 3, 6, 9],
  ["genre=comedy", 0],
  ["genre=Comedy&yes=none&search=show", 1, 3],
  ["reviews=none&genre=Comedy&yes=most&page=9", 15, 0, 3, 6],
  ["reviews=none&announced=unknown&interaction=yes&yes=none", 15, 2, 5, 8, 11],
])("GET /api/shows?%s has %i shows", async (query, total, ...first) => {
  const page = await list(`?${query}`);
  expect(page.total).toBe(total);
  expect(titles(page).slice(0, first.length)).toEqual(first.map((n) => `Show ${String(n).padStart(2, "0")}`));
  const alone = query.startsWith("reviews=none");
  expect(page.shows.every((show) => "reviews" in show !== alone)).toBe(true);
});

async function expectError(response: Response, status: number, code: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code, message: expect.stringMatching(/./) });
}

const invalidQueries = [
  ...["page=0", "page=-1", "page=1.5", "page=1e3", "page=", "page=two", "page=1&page=2"],
  ...["interaction=maybe", "interaction=", "interaction=no&interaction=NO", "search=a&search=b"],
  ...["announced=maybe", "announced=", "announced=yes&announced=no", "reviews=all"],
  ...["yes=some", "yes=", "yes=NONE", "yes=none&yes=none", "reviews=none&yes=no"],
  ...["yes=most&yes=none", "genre=", "genre=Comedy&genre=Opera", `genre=${"x".repeat(301)}`],
];
test.each(invalidQueries)("%s returns 400 with the code invalid_query", async (query) => {
  await expectError(await site.api(`/api/shows?${query}`), 400, "invalid_query");
});

test.each([undefined, "", "other"])("a request with the client key %j returns 401", async (apikey) => {
  const headers = apikey === undefined ? undefined : { apikey };
  const response = await fetch(`${site.origin}/api/shows`, headers && { headers });
  await expectError(response, 401, "invalid_client_key");
});

test.each([
  ["/api/shows", "GET, HEAD"],
  ["/api/reviews", "GET, HEAD, PUT, DELETE"],
  ["/api/reviews/mine", "GET, HEAD"],
])("%s returns 405 for other methods, with the allowed ones in Allow", async (path, allowed) => {
  for (const method of ["POST", "PATCH", "OPTIONS"]) {
    const response = await fetch(site.origin + path, { method, headers: { apikey: "front-row-public" } });
    expect(response.headers.get("allow")).toBe(allowed);
    await expectError(response, 405, "method_not_allowed");
  }
});

test("an unknown API path returns 404 in JSON", async () => {
  await expectError(await site.api("/api/nothing"), 404, "not_found");
});

test("the table of routes, product.md, the app and the description of the API name the same addresses", async () => {
  const rules = readFileSync(new URL("../../docs/product.md", import.meta.url), "utf8");
  const [, section = ""] = /^## 9\. The API$(.*?)^## /ms.exec(rules) ?? [];
  const calls = section.matchAll(/`(GET|PUT|POST|DELETE) ([^?`]*)/g);
  const listed = [...new Set(Array.from(calls, ([, method, path]) => `${method} ${path}`))].sort();
  const operator = { name: "Ada", address: "1 Lane", email: "ada@site.example" };
  const clientFiles = fileURLToPath(new URL("../../build/client", import.meta.url));
  const app = await createBuiltApp(database, { operator, clientFiles });
  const served = app.routes.filter(({ method }) => method !== "ALL");
  const inTable = routes.flatMap(({ methods, path }) => methods.map((method) => ({ method, path })));
  for (const rows of [served, inTable.filter(({ method }) => method !== "HEAD")]) {
    const named = rows.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "<$1>")}`);
    expect([...new Set(named)].sort()).toEqual(listed);
  }
  const { openapi, paths } = await (await fetch(`${site.origin}/api/openapi.json`)).json();
  expect(openapi).toBe("3.1.0");
  const described = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/{(\w+)}/g, "<$1>")}`),
  );
  const ofApi = listed.filter((route) => /^\w+ \/api\/(?!moderation|openapi)/.test(route));
  expect(described.sort()).toEqual(ofApi);
  expect(paths["/api/shows/{id}/badge.svg"].get).toMatchObject({
    security: [],
    parameters: [{ in: "path" }],
  });
  const saved = paths["/api/reviews"].put.responses[200].content["application/json"].schema;
  const { no, revision } = saved.properties.reviews.properties;
  expect(no.description).toBeUndefined();
  expect(revision.description).toMatch(/^Grows/);
});

test.each(["/", "/api/shows"])("%s is compressed and has an ETag, and returns 304 for it", async (path) => {
  const { headers } = await site.api(path, { "accept-encoding": "br" });
  expect(headers.get("content-encoding")).toBe("br");
  const etag = headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[\w-]+"$/);
  const again = async (encoding: string, known: string) =>
    (await site.api(path, { "accept-encoding": encoding, "if-none-match": known })).status;
  expect(await again("br", `"other", ${etag}`)).toBe(304);
  expect(await again("gzip", etag)).toBe(200);
  const others = (length: number) => `${etag}, "${"x".repeat(length - etag.length - 4)}"`;
  expect([await again("br", others(300)), await again("br", others(301))]).toEqual([304, 200]);
});

test.each([
  ["gzip, deflate, br, zstd", "br"],
  ["BR", "br"],
  ["gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.6", "br"],
  ["br;q=0, gzip;q=0.1", "gzip"],
  ["identity, br;q=0.1", "br"],
  ["gzip; q=0.0", null],
  ["deflate, zstd", null],
  [`br,${"x".repeat(97)}`, "br"],
  [`br,${"x".repeat(98)}`, null],
])("Accept-Encoding %j selects the smallest that is accepted", async (accepted, expected) => {
  const response = await site.api("/api/shows", { "accept-encoding": accepted });
  expect(response.headers.get("content-encoding")).toBe(expected);
});

test("shared caches may keep public lists, but not responses to one user (docs/product.md §9.8)", async () => {
  const shared = "public, max-age=0, no-transform, s-maxage=1, stale-if-error=86400";
  const own = "private, max-age=0, no-transform";
  for (const path of ["/api/shows", "/api/shows?reviews=none", "/api/reviews?show_id=x"]) {
    const list = await site.api(path);
    expect(list.headers.get("cache-control")).toBe(shared);
    expect(list.headers.get("vary")).toBe("Accept-Encoding, apikey");
    // The same list was sent before, and could come from the cache.
    const ofSomebody = await site.api(path, { Authorization: "Bearer anything" });
    expect([ofSomebody.status, ofSomebody.headers.get("cache-control")]).toEqual([200, own]);
    expect(ofSomebody.headers.get("etag")).toBe(list.headers.get("etag"));
    const refused = await site.api(path, { apikey: "wrong" });
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(refused.headers.get("vary")).toBe("apikey");
  }
});

test.each([
  ["the sign-in page", ["/auth", "/auth?error=access_denied"], 200],
  ["every unknown address", Array.from({ length: 12 }, (_, n) => `/none/${n}?${n}`), 404],
] as const)("%s has one cached page", async (_, paths, status) => {
  const responses = await Promise.all(paths.map((path) => fetch(site.origin + path)));
  expect(responses.map((response) => response.status)).toEqual(paths.map(() => status));
  const etags = new Set(responses.map(({ headers }) => headers.get("etag")));
  expect([...etags]).toEqual([expect.stringMatching(/^"[\w-]{22}-gzip"$/)]);
});

test("a page with a trailing slash redirects to its address", async () => {
  const { status, headers } = await fetch(`${site.origin}/auth/?from=poster`, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([308, "/auth?from=poster"]);
});

test.each([
  ["//", "/"],
  ["///?search=Show+30", "/?search=Show+30"],
  ["/%61uth", "/auth"],
  ["/AUTH", "/none"],
  ["/auth.html", "/none"],
])("%s returns the same page as %s", async (path, canonical) => {
  const page = async (address: string) => {
    const response = await sendRequest(site.origin + address);
    return [response.status, await response.text()];
  };
  expect(await page(path)).toEqual(await page(canonical));
});

describe("invalid requests write nothing to the log", () => {
  beforeEach(() => {
    site.log.length = 0;
  });
  afterEach(() => expect(site.log).toEqual([]));

  const methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE"];
  test.each(methods)("%s to a page returns 405", async (method) => {
    for (const path of "/ /?search=cats /auth /no/such/page /favicon.svg /healthz".split(" ")) {
      const response = await sendRequest(site.origin + path, { method });
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      await expectError(response, 405, "method_not_allowed");
    }
  });

  const wrong =
    "/% /%ff /%E0%A4%A /a%2fb% /assets/%c0%ae%c0%ae/x /index.html /..%2f..%2fetc%2fpasswd //other.example/";
  test.each(wrong.split(" "))("%s returns the 404 page, without a stack trace", async (path) => {
    const response = await sendRequest(site.origin + path);
    expect(response.status).toBe(404);
    const page = await response.text();
    expect(page).toContain("Oops! Page not found");
    expect(page).not.toMatch(/\bat .*\.(ts|js):\d+/);
  });
});

test("while tallies cannot be read, shows are listed without them and pages say so (docs/product.md §8.3)", async () => {
  await sql`alter table tallies rename to tallies_away`.execute(db);
  const isolated = await openTestSite({ DATABASE_URL: database.url });
  const page = await list("?interaction=yes", isolated);
  expect(page.total).toBe(45);
  expect(page.shows[0]).toEqual({ ...page.shows[0], title: "Show 00", reviews: undefined });
  const html = await (await fetch(isolated.origin)).text();
  expect(html).toContain("Reviews can’t be loaded right now.".replace("’", "&#x27;"));
  expect(html).not.toContain("No reviews yet");
  await sql`alter table tallies_away rename to tallies`.execute(db);
  await vi.waitFor(async () => expect(titles(await list("", isolated))[0]).toBe("Show 02"), 10_000);
});
