import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { inventReviewers, reviewHeaders, sendReview } from "../../dev/harness/reviewers.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { ShowPage } from "../../src/domain/show.ts";
import { signInUpToCallback, startSignIn } from "../support/accounts.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { givenShows } from "../support/given.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { openTestSite, setUpAccountsSite, setUpDatabase, setUpSite } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(
  db,
  Array.from({ length: 30 }, (_, index) => ({
    title: `Show ${index}`,
    artist: "</script><script>alert(1)</script>",
  })),
);
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
/** A server whose ORIGIN is https. */
const httpsSite = await setUpSite(database, { ORIGIN: "https://front-row.example" });
const [reviewer = expect.fail()] = await inventReviewers(db, origin, 1);

function get(path: string, headers: Record<string, string> = {}, from = origin): Promise<Response> {
  return fetch(from + path, { headers, redirect: "manual" });
}

const key = { apikey: "front-row-public" };

/** Every kind of response other than pages: status, path, request headers. */
const nonPages: [number, string, Record<string, string>?][] = [
  [200, "/api/shows", key],
  [400, "/api/shows?page=x", key],
  [401, "/api/shows"],
  [404, "/api/nothing", key],
  [200, "/api/reviews?show_id=show-1", key],
  [401, "/api/reviews/mine", key],
  [200, "/api/openapi.json"],
  [200, "/healthz"],
  [200, "/readyz"],
  [200, "/favicon.svg"],
  [200, "/favicon.ico"],
  [200, "/apple-touch-icon.png"],
  [200, "/robots.txt"],
  [200, "/sitemap.xml"],
  [404, "/api/shows/nothing/preview.png"],
  [404, "/assets/gone.js"],
  [200, "/auth/v1/health"],
  [200, "/auth/v1/settings", key],
  [200, "/auth/v1/.well-known/jwks.json"],
  [401, "/auth/v1/user", key],
  [404, "/auth/v1/nothing", key],
  [400, "/auth/v1/authorize?provider=nobody"],
  [303, "/auth/v1/callback?state=x&code=y"],
];

/** Every kind of page: status, path. */
const pages: [number, string][] = [
  [200, "/"],
  [200, "/?search=show+1"],
  [200, "/?search=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"],
  [200, "/?page=2"],
  [200, "/?interaction=yes"],
  [200, "/?announced=yes"],
  [200, "/?show=show-2"],
  [404, "/?show=nothing"],
  [200, "/auth"],
  [200, "/terms"],
  [200, "/privacy"],
  [404, "/no/such/page"],
];

/** Headers of every response. */
const commonHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const nonPagePolicy = "default-src 'none'; frame-ancestors 'none'";

function expectHeaders({ headers }: Response, extra: Record<string, string> = {}): void {
  expect(Object.fromEntries(headers)).toMatchObject({ ...commonHeaders, ...extra });
  expect(headers.get("permissions-policy")).toMatch(
    /^accelerometer=\(\), browsing-topics=\(\), camera=\(\).*storage-access=\(\).*clipboard-write=\(self\)$/,
  );
  expect(headers.has("x-powered-by")).toBe(false);
  expect(headers.has("set-cookie")).toBe(false);
}

describe.each(nonPages)("%d %s", (status, path, headers) => {
  test("has all headers, and a policy that allows nothing", async () => {
    const response = await get(path, headers);
    expect(response.status).toBe(status);
    // Without it, a shared cache would decide by itself how long to keep it.
    expect(response.headers.get("cache-control")).toMatch(/no-store|max-age=/);
    const refusesReferrer = path.startsWith("/auth/v1/") && { "referrer-policy": "no-referrer" };
    expectHeaders(response, { "content-security-policy": nonPagePolicy, ...refusesReferrer });
    expect(response.headers.has("strict-transport-security")).toBe(false);
  });
});

test("built files and a rejected review have all headers", async () => {
  const html = await (await get("/")).text();
  const file = await get(html.match(/"(\/assets\/root-[^"]+\.js)"/)?.[1] ?? "");
  expect(file.headers.get("content-type")).toContain("javascript");
  expectHeaders(file, { "content-security-policy": nonPagePolicy });
  const rejected = await sendReview(origin, reviewer, { show_id: "gone", audience_interaction: "yes" });
  expect(rejected.status).toBe(404);
  expectHeaders(rejected, { "content-security-policy": nonPagePolicy, "cache-control": "no-store" });
});

test("private responses have all headers and are never stored", async () => {
  const review = { show_id: "show-1", audience_interaction: "yes" };
  const storedResponse = await sendReview(origin, reviewer, review);
  const ownReviews = await get("/api/reviews/mine", reviewHeaders(reviewer));
  for (const response of [storedResponse, ownReviews]) {
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expectHeaders(response, { "content-security-policy": nonPagePolicy, "cache-control": "no-store" });
  }
});

test("redirects to and from a provider have all headers and send no referrer", async () => {
  const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
  const toProvider = await fetch(startSignIn(origin, "github").url, { redirect: "manual" });
  const fromProvider = await fetch(callback, { redirect: "manual" });
  for (const response of [toProvider, fromProvider]) {
    expect(response.headers.get("location")).toMatch(/^http/);
    expectHeaders(response, { "content-security-policy": nonPagePolicy, "referrer-policy": "no-referrer" });
  }
  expect(fromProvider.headers.get("location")).toContain("code=");
});

/** The sources of each directive of a policy. */
function parse(policy: string | null): Record<string, string[]> {
  const directives = (policy ?? "").split("; ").map((directive) => directive.split(" "));
  return Object.fromEntries(directives.map(([name = "", ...sources]) => [name, sources]));
}

/** Of the scripts that browsers run: not of data. */
function hashesOf(html: string): string[] {
  const scripts = Array.from(
    html.matchAll(/<script(?! type="application\/ld\+json")[^>]*>(.*?)<\/script>/gs),
    ([, text = ""]) => text,
  );
  return scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
}

const pagePolicy = {
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

/** Expects the strict policy, with exactly the hashes of the page's own inline scripts. Returns the HTML. */
async function expectPagePolicy(page: Response): Promise<string> {
  expectHeaders(page);
  const html = await page.text();
  const policy = page.headers.get("content-security-policy");
  const { "script-src": scripts = [], ...otherDirectives } = parse(policy);
  expect(otherDirectives).toEqual(pagePolicy);
  expect(new Set(scripts)).toEqual(new Set(["'self'", ...hashesOf(html)]));
  expect(html).not.toMatch(/nonce|\sstyle=|\son[a-z]+=["']|<style/);
  expect(policy?.length).toBeLessThan(800);
  return html;
}

/** Browsers revalidate; shared caches may keep a page for a moment. */
const sharedCaching = "public, max-age=0, no-transform, s-maxage=1, stale-if-error=86400";

describe.each(pages)("the page %d %s", (status, path) => {
  test("allows exactly its own scripts, also when sent again from the cache", async () => {
    const page = await get(path);
    expect(page.status).toBe(status);
    const html = await expectPagePolicy(page);
    const hasScripts = !["/terms", "/privacy"].includes(path);
    expect(hashesOf(html).length > 4).toBe(hasScripts);
    expect(await expectPagePolicy(await get(path))).toBe(html);
  });

  test("may not be changed on its way, also when it is not modified", async () => {
    const page = await get(path);
    const again = await get(path, { "If-None-Match": page.headers.get("etag") ?? "" });
    expect([page.status, again.status]).toEqual([status, status === 200 ? 304 : status]);
    for (const { headers } of [page, again]) expect(headers.get("cache-control")).toBe(sharedCaching);
  });
});

const brokenPage = {
  get shows(): never {
    throw new Error("broken on purpose");
  },
} as unknown as ShowPage;

test("the error page allows exactly its own scripts", async () => {
  const catalogue = createCatalogue();
  const find: typeof catalogue.find = (query) => ({ ...catalogue.find(query), page: brokenPage });
  const { get } = await createBuiltApp(database, { catalogue: { ...catalogue, find } });
  const consoleError = vi.spyOn(console, "error").mockReturnValue();
  const page = await get("/");
  consoleError.mockRestore();
  expect(page.status).toBe(500);
  expect(await expectPagePolicy(page)).toContain("Something went wrong");
});

test("a page changed by a review has the policy of its new content", async () => {
  const before = await get("/");
  await sendReview(origin, reviewer, { show_id: "show-8", audience_interaction: "yes" });
  const after = await vi.waitFor(async () => {
    const page = await get("/");
    expect(page.headers.get("etag")).not.toBe(before.headers.get("etag"));
    return page;
  }, 10_000);
  await expectPagePolicy(after);
});

test("a 304 repeats the policy of what is cached", async () => {
  for (const [path, headers] of [["/"], ["/?page=2"], ["/api/shows", key]] as const) {
    const cached = (await get(path, headers)).headers;
    const revalidated = await get(path, { ...headers, "If-None-Match": cached.get("etag") ?? "" });
    expect(revalidated.status).toBe(304);
    expectHeaders(revalidated, { "content-security-policy": cached.get("content-security-policy") ?? "" });
  }
});

/** Two pages and two other responses. */
const kinds = [["/"], ["/nowhere"], ["/api/shows", key], ["/favicon.svg"]] as const;

test("an https origin sends HSTS, and pages upgrade insecure requests", async () => {
  for (const [path, headers] of kinds) {
    const response = await requestWithHost(httpsSite.origin + path, "front-row.example", { headers });
    expectHeaders(response, { "strict-transport-security": "max-age=31536000" });
    const policy = parse(response.headers.get("content-security-policy"));
    expect("upgrade-insecure-requests" in policy).toBe(!headers && path !== "/favicon.svg");
  }
});

test("HSTS includes subdomains with HSTS_SUBDOMAINS=1, and an http origin sends none", async () => {
  const subdomains = { DATABASE_URL: database.url, HSTS_SUBDOMAINS: "1" };
  const wide = await openTestSite({ ...subdomains, ORIGIN: "https://front-row.example" });
  const plain = await openTestSite(subdomains);
  for (const [path, headers] of kinds) {
    const response = await requestWithHost(wide.origin + path, "front-row.example", { headers });
    expectHeaders(response, { "strict-transport-security": "max-age=31536000; includeSubDomains" });
    expect((await get(path, headers, plain.origin)).headers.has("strict-transport-security")).toBe(false);
  }
});

test("browsers and phones find their icons by name, and keep them for an hour", async () => {
  const icon = await get("/favicon.ico");
  const home = await get("/apple-touch-icon.png");
  expect(icon.headers.get("content-type")).toBe("image/x-icon");
  expect(home.headers.get("content-type")).toBe("image/png");
  for (const { headers } of [icon, home]) {
    expect(headers.get("cache-control")).toContain("max-age=3600");
    expect(headers.get("etag")).toMatch(/^"[\w-]+"$/);
  }
  const ico = Buffer.from(await icon.arrayBuffer());
  // One image of 32 × 32, as PNG.
  expect([...ico.subarray(0, 8)]).toEqual([0, 0, 1, 0, 1, 0, 32, 32]);
  expect(ico.subarray(ico.readUInt32LE(18) + 1).toString("latin1", 0, 3)).toBe("PNG");
  const png = Buffer.from(await home.arrayBuffer());
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([180, 180]);
  expect(await (await get("/")).text()).toContain(
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png"/>',
  );
});
