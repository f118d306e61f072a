import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inventReviewers, reviewHeaders, sendReview } from "../../dev/harness/reviewers.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { ShowPage } from "../../src/domain/show.ts";
import { type AccountsSite, signInUpToCallback, startAccountsSite, startSignIn } from "../support/accounts.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { replaceProgramme, showId } from "../support/programme.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";

let database: Database;
let accountsSite: AccountsSite;
/** The same site where visitors come by https. */
let secure: Site;
let origin: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await replaceProgramme(database.db, {
    shows: Array.from({ length: 30 }, (_, index) => ({
      title: `Show ${index}`,
      artist: "</script><script>alert(1)</script>",
      venue_name: null,
      listed: true,
      year: 2025,
      status: "active",
    })),
    reviews: [],
  });
  await recordRecentRefresh(database.db);
  accountsSite = await startAccountsSite(database.url);
  origin = accountsSite.site.origin;
  secure = await startSite({ DATABASE_URL: database.url, ORIGIN: "https://front-row.example" });
});
afterAll(async () => {
  await secure.stop();
  await accountsSite.close();
  await database.close();
});

function get(path: string, headers: Record<string, string> = {}, from = origin): Promise<Response> {
  return fetch(from + path, { headers, redirect: "manual" });
}

const key = { apikey: "front-row-public" };

/** Every kind of answer that is no page, with its status. */
const others: [number, string, Record<string, string>?][] = [
  [200, "/api/shows", key],
  [400, "/api/shows?page=x", key],
  [401, "/api/shows"],
  [404, "/api/nothing", key],
  [200, `/api/reviews?show_id=${showId(0)}`, key],
  [401, "/api/reviews/mine", key],
  [200, "/api/openapi.json"],
  [200, "/healthz"],
  [200, "/readyz"],
  [200, "/favicon.svg"],
  [200, "/auth.data"],
  [200, "/auth/v1/health"],
  [200, "/auth/v1/settings", key],
  [200, "/auth/v1/.well-known/jwks.json"],
  [401, "/auth/v1/user", key],
  [404, "/auth/v1/nothing", key],
  [400, "/auth/v1/authorize?provider=nobody"],
  [303, "/auth/v1/callback?state=x&code=y"],
];

/** Every kind of page that an address leads to, with its status. */
const pages: [number, string][] = [
  [200, "/"],
  [200, "/?search=show+1"],
  [200, "/?search=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"],
  [200, "/?page=2"],
  [200, "/?interaction=yes"],
  [200, "/auth"],
  [404, "/no/such/page"],
  [404, "/assets/gone.js"],
];

/** What every answer says, by its headers' names. */
const always = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const forNoPage = "default-src 'none'; frame-ancestors 'none'";

function expectHeaders({ headers }: Response, more: Record<string, string> = {}): void {
  expect(Object.fromEntries(headers)).toMatchObject({ ...always, ...more });
  expect(headers.get("permissions-policy")).toMatch(
    /^accelerometer=\(\), browsing-topics=\(\), camera=\(\).*storage-access=\(\).*clipboard-write=\(self\)$/,
  );
  expect(headers.has("x-powered-by")).toBe(false);
}

describe.each(others)("%d %s", (status, path, headers) => {
  test("carries every header, and may load and run nothing", async () => {
    const answer = await get(path, headers);
    expect(answer.status).toBe(status);
    const refusesReferrer = path.startsWith("/auth/v1/") && { "referrer-policy": "no-referrer" };
    expectHeaders(answer, { "content-security-policy": forNoPage, ...refusesReferrer });
    expect(answer.headers.has("strict-transport-security")).toBe(false);
  });
});

test("built files, and a review that is refused, carry every header", async () => {
  const html = await (await get("/")).text();
  const file = await get(html.match(/"(\/assets\/root-[^"]+\.js)"/)?.[1] ?? "");
  expect(file.headers.get("content-type")).toContain("javascript");
  expectHeaders(file, { "content-security-policy": forNoPage });
  const [somebody] = await inventReviewers(database.db, origin, 1);
  if (!somebody) throw new Error("Nobody was invented");
  const refused = await sendReview(origin, somebody, { show_id: "gone", audience_interaction: "yes" });
  expect(refused.status).toBe(404);
  expectHeaders(refused, { "content-security-policy": forNoPage });
});

test("what is sent to one person alone, a stored review or their own, carries every header, and is kept by nobody", async () => {
  const [somebody] = await inventReviewers(database.db, origin, 1);
  if (!somebody) throw new Error("Nobody was invented");
  const stored = await sendReview(origin, somebody, { show_id: showId(0), audience_interaction: "yes" });
  const mine = await get("/api/reviews/mine", reviewHeaders(somebody));
  for (const answer of [stored, mine]) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expectHeaders(answer, { "content-security-policy": forNoPage, "cache-control": "no-store" });
  }
});

test("the ways to a provider and back carry every header, and tell nobody where one comes from", async () => {
  const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
  const there = await fetch(startSignIn(origin, "github").url, { redirect: "manual" });
  const back = await fetch(callback, { redirect: "manual" });
  for (const answer of [there, back]) {
    expect(answer.headers.get("location")).toMatch(/^http/);
    expectHeaders(answer, { "content-security-policy": forNoPage, "referrer-policy": "no-referrer" });
  }
  expect(back.headers.get("location")).toContain("code=");
});

/** A policy as the sources of each of its directives. */
function parse(policy: string | null): Record<string, string[]> {
  const directives = (policy ?? "").split("; ").map((directive) => directive.split(" "));
  return Object.fromEntries(directives.map(([name = "", ...sources]) => [name, sources]));
}

function hashesOf(html: string): string[] {
  const scripts = Array.from(html.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, text = ""]) => text);
  return scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}

const forPages = {
  "default-src": ["'none'"],
  "style-src": ["'self'"],
  "img-src": ["'self'"],
  "connect-src": ["'self'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
  "require-trusted-types-for": ["'script'"],
  "trusted-types": ["default"],
};

/** Expects a page's policy to be as tight as can be, and to allow exactly the page's own inline scripts. */
async function expectOwnPolicy(page: Response): Promise<string> {
  expectHeaders(page);
  const html = await page.text();
  const policy = page.headers.get("content-security-policy");
  const { "script-src": scripts = [], ...others } = parse(policy);
  expect(others).toEqual(forPages);
  expect(scripts.length).toBeGreaterThan(5);
  expect(new Set(scripts)).toEqual(new Set(["'self'", ...hashesOf(html)]));
  expect(html).not.toMatch(/nonce|\sstyle=|\son[a-z]+=["']|<style/);
  expect(policy?.length).toBeLessThan(800);
  return html;
}

describe.each(pages)("the page %d %s", (status, path) => {
  test("names exactly its own scripts, each time it is sent", async () => {
    const page = await get(path);
    expect(page.status).toBe(status);
    const html = await expectOwnPolicy(page);
    expect(await expectOwnPolicy(await get(path))).toBe(html);
  });
});

const brokenPage = {
  get shows(): never {
    throw new Error("broken on purpose");
  },
} as unknown as ShowPage;

test("the page that says that something went wrong names exactly its own scripts", async () => {
  const catalogue = createCatalogue();
  const find: typeof catalogue.find = (query) => ({ ...catalogue.find(query), page: brokenPage });
  const { get } = await createBuiltApp(database, { catalogue: { ...catalogue, find } });
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const page = await get("/");
  logged.mockRestore();
  expect(page.status).toBe(500);
  expect(await expectOwnPolicy(page)).toContain("Something went wrong");
});

test("a page that a review has changed comes with the policy of what it is now", async () => {
  const before = await get("/");
  const [somebody] = await inventReviewers(database.db, origin, 1);
  if (!somebody) throw new Error("Nobody was invented");
  await sendReview(origin, somebody, { show_id: showId(7), audience_interaction: "yes" });
  const after = await vi.waitFor(async () => {
    const page = await get("/");
    expect(page.headers.get("etag")).not.toBe(before.headers.get("etag"));
    return page;
  }, 10_000);
  expect(after.headers.get("content-security-policy")).not.toBe(before.headers.get("content-security-policy"));
  await expectOwnPolicy(after);
});

test("a 304 repeats the policy of the page that the browser has kept", async () => {
  for (const path of ["/", "/?page=2"]) {
    const page = await get(path);
    const again = await get(path, { "If-None-Match": page.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
    expectHeaders(again, { "content-security-policy": page.headers.get("content-security-policy") ?? "" });
  }
  const data = await get("/api/shows", key);
  const same = await get("/api/shows", { ...key, "If-None-Match": data.headers.get("etag") ?? "" });
  expect(same.status).toBe(304);
  expectHeaders(same, { "content-security-policy": forNoPage });
});

test("where visitors come by https, that is all that browsers use from then on", async () => {
  for (const [path, headers] of [["/"], ["/nowhere"], ["/api/shows", key], ["/favicon.svg"]] as const) {
    const answer = await get(path, headers, secure.origin);
    expectHeaders(answer, { "strict-transport-security": "max-age=15552000; includeSubDomains" });
    const policy = parse(answer.headers.get("content-security-policy"));
    expect("upgrade-insecure-requests" in policy).toBe(!headers && path !== "/favicon.svg");
  }
});
