import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { inventReviewers, reviewHeaders, sendReview } from "../../dev/harness/reviewers.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { ShowPage } from "../../src/domain/show.ts";
import { signInUpToCallback, startSignIn } from "../support/accounts.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { givenShows } from "../support/given.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { setUpAccountsSite, setUpDatabase, setUpSite } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;
const hostile = { artist: "</script><script>alert(1)</script>" };
await givenShows(db, Array(30).fill(hostile));
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const httpsSite = await setUpSite(database, { ORIGIN: "https://front-row.example", HSTS_SUBDOMAINS: "1" });
const [reviewer = expect.fail()] = await inventReviewers(db, origin, 1);

function get(path: string, headers: Record<string, string> = {}, from = origin): Promise<Response> {
  return fetch(from + path, { headers, redirect: "manual" });
}

const key = { apikey: "front-row-public" };

/** Every kind of response other than pages: status, paths, request headers. */
const nonPages: [number, string, Record<string, string>?][] = [
  [200, "/api/shows /api/reviews?show_id=show-1 /auth/v1/settings", key],
  [200, "/healthz /readyz /favicon.svg /favicon.ico /apple-touch-icon.png /robots.txt"],
  [200, "/sitemap.xml /auth/v1/health /auth/v1/.well-known/jwks.json"],
  [303, "/auth/v1/callback?state=x&code=y"],
  [400, "/api/shows?page=x", key],
  [400, "/auth/v1/authorize?provider=nobody"],
  [401, "/api/shows"],
  [401, "/api/reviews/mine /auth/v1/user", key],
  [404, "/api/nothing /auth/v1/nothing", key],
  [404, "/api/shows/nothing/preview.png /assets/gone.js"],
];

const pages = `/ /?search=show+1 /?search=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E /?page=2 /?interaction=yes
  /?announced=yes /?show=show-2 /?show=nothing /auth /terms /privacy /no/such/page`.split(/\s+/);

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

test.each(
  nonPages.flatMap(([status, paths, headers]) => paths.split(" ").map((path) => ({ status, path, headers }))),
)("$status $path has all headers; its policy allows nothing", async ({ status, path, headers }) => {
  const response = await get(path, headers);
  expect(response.status).toBe(status);
  // Without it, a shared cache would choose its own TTL.
  expect(response.headers.get("cache-control")).toMatch(/no-store|max-age=/);
  const refusesReferrer = path.startsWith("/auth/v1/") && { "referrer-policy": "no-referrer" };
  expectHeaders(response, { "content-security-policy": nonPagePolicy, ...refusesReferrer });
  expect(response.headers.has("strict-transport-security")).toBe(false);
});

const shared = ["/api/tallies.json", "/api/offline/shows.json?x=1", "/api/openapi.json"];
const foreign = {
  Origin: "https://fringe.example",
  "Sec-Fetch-Site": "cross-site",
  "Sec-Fetch-Dest": "empty",
};
const preflight = { ...foreign, "Access-Control-Request-Method": "GET" };

test.each(shared)("pages of other sites can read %s, its 304 and its errors", async (path) => {
  const data = await get(path, foreign);
  const responses = [
    [200, data],
    [304, await get(path, { ...foreign, "If-None-Match": data.headers.get("etag") ?? "" })],
    [405, await fetch(origin + path, { method: "POST", headers: foreign })],
    [503, await createBuiltApp(database, {}).then((app) => app.get(path))],
  ] as const;
  for (const [status, { status: actual, headers }] of responses) {
    if (path !== "/api/openapi.json") expect(actual).toBe(status);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(headers.get("access-control-expose-headers")).toMatch(/ETag.*Retry-After/);
  }
  const asked = { ...preflight, "Access-Control-Request-Headers": "if-none-match" };
  const allowed = await fetch(origin + path, { method: "OPTIONS", headers: asked });
  expect(allowed.status).toBe(204);
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET,HEAD",
    "access-control-allow-headers": "if-none-match",
    "access-control-max-age": "86400",
  });
  // Refused before the app: the address is too long.
  const refused = await get(`${path.split("?")[0]}?${"x".repeat(3_000)}`, foreign);
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([414, "*"]);
});

test.each([
  "/ /?show=show-2 /api/shows /api/reviews?show_id=show-1 /api/reviews/mine /api/tallies.jsonx /healthz /readyz",
  "/auth/v1/settings /auth/v1/user /api/offline/ /api/shows/show-1/badge.svg /api/preview.png /worker.js /metrics",
])("other sites can read nothing of %s", async (paths) => {
  const sent = { ...key, Origin: "https://fringe.example" };
  // At once, because refusals come late.
  const responses = paths
    .split(" ")
    .flatMap((path) => [
      get(path, sent),
      get(path, foreign),
      fetch(origin + path, { method: "OPTIONS", headers: preflight }),
    ]);
  for (const { headers } of await Promise.all(responses))
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("files, reviews, and redirects to and from a provider have all headers; private responses are never stored", async () => {
  const html = await (await get("/")).text();
  const file = await get(html.match(/"(\/assets\/site-[^"]+\.js)"/)?.[1] ?? "");
  const review = { show_id: "show-1", audience_interaction: "yes" };
  const { callback } = await signInUpToCallback(origin, "google", { email: "wren@people.example" });
  const neverStored = { "cache-control": "no-store" };
  const withoutReferrer = { "referrer-policy": "no-referrer" };
  for (const [status, response, extra] of [
    [200, file, {}],
    [404, await sendReview(origin, reviewer, { ...review, show_id: "gone" }), neverStored],
    [200, await sendReview(origin, reviewer, review), neverStored],
    [200, await get("/api/reviews/mine", reviewHeaders(reviewer)), neverStored],
    [302, await fetch(startSignIn(origin, "github").url, { redirect: "manual" }), withoutReferrer],
    [302, await fetch(callback, { redirect: "manual" }), withoutReferrer],
  ] as const) {
    expect(response.status).toBe(status);
    expectHeaders(response, { "content-security-policy": nonPagePolicy, ...extra });
  }
});

function hashesOf(html: string): string[] {
  const scripts = html.matchAll(
    /<script(?! type="(?:application\/(?:ld\+)?json|module)")[^>]*>(.*?)<\/script>/gs,
  );
  return [...scripts].map(([, text = ""]) => `'sha256-${hash("sha256", text, "base64")}'`);
}

const pagePolicy = new RegExp(
  [
    "^default-src 'none'",
    "script-src 'self'((?: 'sha256-[^' ]+')+)",
    ..."style img connect worker manifest".split(" ").map((kind) => `${kind}-src 'self'`),
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "require-trusted-types-for 'script'; trusted-types default$",
  ].join("; "),
);

/** Allowed are four constant scripts. */
async function expectPagePolicy(page: Response): Promise<string> {
  expectHeaders(page);
  const html = await page.text();
  const [, allowed = ""] = pagePolicy.exec(page.headers.get("content-security-policy") ?? "") ?? [];
  const hashes = allowed.trim().split(" ");
  expect(hashes).toHaveLength(4);
  expect(hashes).toEqual(expect.arrayContaining(hashesOf(html)));
  expect(html).not.toMatch(/nonce|\sstyle=(?!&quot;)|\son[a-z]+=["']|<style/);
  return html;
}

/** Browsers revalidate; shared caches may keep a page for a moment. */
const sharedCaching = "public, max-age=0, no-transform, s-maxage=1, stale-if-error=86400";

test.each(pages)("the page %s allows only its own scripts, and proxies no transformation", async (path) => {
  const page = await get(path);
  const status = /nothing|no.such/.test(path) ? 404 : 200;
  const again = await get(path, { "If-None-Match": page.headers.get("etag") ?? "" });
  expect([page.status, again.status]).toEqual([status, status === 200 ? 304 : 404]);
  for (const { headers } of [page, again]) expect(headers.get("cache-control")).toBe(sharedCaching);
  expectHeaders(again, { "content-security-policy": page.headers.get("content-security-policy") ?? "" });
  const html = await expectPagePolicy(page);
  expect(hashesOf(html)).toHaveLength(["/terms", "/privacy"].includes(path) ? 0 : 4);
  expect(await expectPagePolicy(await get(path))).toBe(html);
});

const brokenPage = {
  get shows(): never {
    throw new Error("broken on purpose");
  },
} as unknown as ShowPage;

test("the error page has no scripts", async () => {
  const catalogue = createCatalogue();
  const find: typeof catalogue.find = (query) => ({ ...catalogue.find(query), page: brokenPage });
  const { get } = await createBuiltApp(database, { catalogue: { ...catalogue, find } });
  const page = await get("/");
  expect(page.status).toBe(500);
  const html = await expectPagePolicy(page);
  expect(html).toContain("Something went wrong");
  expect(html).not.toContain("<script");
});

const kinds = [["/"], ["/nowhere"], ["/api/shows", key], ["/favicon.svg"]] as const;

test("an https origin sends HSTS, with subdomains if set, and its pages upgrade insecure requests", async () => {
  for (const [path, headers] of kinds) {
    const response = await requestWithHost(httpsSite.origin + path, "front-row.example", { headers });
    expectHeaders(response, { "strict-transport-security": "max-age=31536000; includeSubDomains" });
    const policy = response.headers.get("content-security-policy");
    expect(policy?.endsWith("; upgrade-insecure-requests")).toBe(!headers && path !== "/favicon.svg");
  }
});

async function readIcon(path: string, type: string): Promise<Buffer> {
  const icon = await get(path);
  expect(icon.headers.get("content-type")).toBe(type);
  expect(icon.headers.get("cache-control")).toContain("max-age=3600");
  return Buffer.from(await icon.arrayBuffer());
}

async function sizeOfPng(path: string): Promise<string> {
  const png = await readIcon(path, "image/png");
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

test("browsers and phones find their icons, and an app that starts with the list (docs/product.md §14.5)", async () => {
  // One image of 32 × 32, as PNG.
  const ico = await readIcon("/favicon.ico", "image/x-icon");
  expect([...ico.subarray(0, 8)]).toEqual([0, 0, 1, 0, 1, 0, 32, 32]);
  expect(await sizeOfPng("/apple-touch-icon.png")).toBe("180x180");
  const page = await (await get("/")).text();
  expect(page).toContain('<link rel="apple-touch-icon" href="/apple-touch-icon.png"/>');
  const [, path = ""] = /<link rel="manifest" href="([^"]+)"/.exec(page) ?? [];
  const response = await get(path);
  expect(response.headers.get("content-type")).toMatch(/^application\/manifest\+json/);
  const { icons, name, short_name, ...manifest } = await response.json();
  const lightTheme = /<meta name="theme-color" content="(#\w+)" media="\(prefers-color-scheme: light\)"/;
  const [, light] = lightTheme.exec(page) ?? [];
  const colours = { theme_color: light, background_color: light };
  expect(manifest).toMatchObject({ display: "standalone", start_url: "/", ...colours });
  const { action, method, params } = manifest.share_target;
  expect([action, method, params]).toEqual(["/", "GET", { text: "search", url: "url" }]);
  expect(name).toContain(short_name);
  expect(short_name.length).toBeLessThanOrEqual(12);
  const icon = (sizes: string) => ({ sizes, type: "image/png", src: expect.any(String) });
  expect(icons).toEqual([icon("192x192"), icon("512x512"), { ...icon("512x512"), purpose: "maskable" }]);
  for (const { src, sizes } of icons) expect(await sizeOfPng(src)).toBe(sizes);
});
