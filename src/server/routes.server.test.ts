import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { admitRequests } from "../http/admission/admit-requests.server.ts";
import { type HttpServer, listenHttp } from "../http/listener/http-server.server.ts";
import { admission, type Route, routes } from "./routes.server.ts";

const recordRequest = vi.fn();
const countRequest = vi.fn(({ headers }: IncomingMessage) => Number(headers["x-wait"] ?? 0));
let origin: string;
let server: HttpServer;

beforeEach(async () => {
  recordRequest.mockClear();
  countRequest.mockClear();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  server = await listenHttp("127.0.0.1", port);
  const load = { networksOf: () => [], onRefused: () => {}, refusalDelay: 0 };
  const options = { ...admission, countRequest, recordRequest, ...load };
  server.serve(admitRequests(async (_, response: ServerResponse) => void response.end("here"), options));
});
afterEach(() => server.close(0));

const get = (path: string, wait: number, accept = "*/*") =>
  fetch(origin + path, { headers: { "x-wait": String(wait), accept } });

const long = (length: number) => "a".repeat(length);

test("a client below the limit is answered by the app, which records it", async () => {
  const longest = [`/${long(2_047)}?${long(2_048)}`, `/${long(2_047)}`, `/?search=${"%61".repeat(680)}`];
  for (const path of ["/", "/healthz", "/auth/v1/token", ...longest])
    expect(await (await get(path, 0)).text()).toBe("here");
  expect(recordRequest).not.toHaveBeenCalled();
});

const html = "text/html,*/*;q=0.8";

test.each([
  ["/", 7, html, 429, "Too many requests came from your network."],
  ["/api/shows?search=x", 7, "*/*", 429, '"code":"network_rate_limited"'],
  ["/healthz?1", 7, "*/*", 429, '"code":"network_rate_limited"'],
  ["/auth/v1/tokens", 7, "*/*", 429, '"code":"network_rate_limited"'],
  ["/auth/v1/token?grant_type=refresh_token", 7, "*/*", 503, '"code":"unavailable"'],
  [`/?search=${long(2_048)}`, 0, html, 414, "<p>This address is too long.</p>"],
  [`/${long(2_048)}`, 0, html, 414, "<p>This address is too long.</p>"],
  [`/auth/${long(9_000)}`, 0, html, 414, '"code":"uri_too_long"'],
  ["/api/nothing", 7, html, 429, '"code":"network_rate_limited"'],
  ["/auth/v1/callback?code=a", 7, "*/*", 429, "Too many requests came from your network."],
  ["/api/moderation/token", 7, "*/*", 429, "Too many requests came from your network."],
  ["/api/reports?show=a", 7, html, 429, "Too many requests came from your network."],
  ["/api/reports", 7, "*/*", 429, '"code":"network_rate_limited"'],
  [`/api/shows?${"page=1&".repeat(300)}`, 0, "*/*", 414, '"code":"uri_too_long"'],
  [`/api/shows/${"%61".repeat(683)}/preview.png`, 0, "*/*", 414, '"code":"uri_too_long"'],
])("%.40s by a client that must wait %d s (Accept: %s) gets %d", async (path, wait, accept, status, text) => {
  const response = await get(path, wait, accept);
  const type = text.startsWith('"code"') ? "application/json" : "text/html; charset=utf-8";
  expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
  expect(response.headers.get("retry-after")).toBe(status === 414 ? null : "7");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.text()).toContain(text);
  const summary = { method: "GET", path: "/*", route: "/*", status, refused: status === 503 };
  expect(recordRequest).toHaveBeenCalledExactlyOnceWith(summary, 0);
});

const foreign = (dest: string, mode = "no-cors", site = "cross-site") => ({
  "sec-fetch-site": site,
  "sec-fetch-dest": dest,
  "sec-fetch-mode": mode,
});

test.each([
  ["/", foreign("image"), 403],
  ["/?search=cats&page=2", foreign("script"), 403],
  ["/?show=a", foreign("iframe", "navigate"), 403],
  ["/terms", foreign("embed", "navigate"), 403],
  ["/privacy", foreign("object", "navigate", "same-site"), 403],
  ["/nowhere", foreign("empty", "cors"), 403],
  ["/api/shows?search=cats", foreign("image"), 403],
  ["/api/reviews?show_id=a", foreign("empty", "no-cors", "same-site"), 403],
  ["/api/shows/a/badge%2esvg", foreign("image"), 403],
  ["/assets/root.js", foreign("style"), 403],
  ["/auth/v1/settings", foreign("audio"), 403],
  ["/healthz", foreign("video", "cors"), 403],
  ["/readyz", { "sec-fetch-site": "cross-site" }, 403],
  ["/?show=a", foreign("document", "navigate"), 200],
  ["/auth/v1/callback?code=a", foreign("document", "navigate", "same-site"), 200],
  ["/", foreign("image", "no-cors", "same-origin"), 200],
  ["/api/shows", foreign("empty", "cors", "none"), 200],
  ["/api/preview.png?v=1", foreign("image"), 200],
  ["/api/shows/a/preview.png", foreign("empty", "cors"), 200],
  ["/api/tallies.json", foreign("empty", "cors"), 200],
  ["/api/offline/shows.json?x", foreign("empty", "cors", "same-site"), 200],
  ["/api/openapi.json", foreign("empty", "cors"), 200],
  ["/api/reports", { "sec-fetch-site": "cross-site" }, 403],
  ["/api/reports?show=a", { "sec-fetch-site": "cross-site", accept: "text/html" }, 403],
  ["/api/reports", { "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" }, 200],
  ["/api/reports", {}, 200],
  ["/auth/v1/authorize?a=b", { "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe" }, 403],
  ["/auth/v1/authorize", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" }, 403],
  ["/auth/v1/authorize", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }, 200],
  ["/auth/v1/authorize", {}, 200],
  ["/api/shows/a/badge.svg", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" }, 200],
])("%s with %j gets %d, and is counted unless it is refused", async (path, headers, status) => {
  const response = await fetch(origin + path, { headers });
  expect([response.status, countRequest.mock.calls.length]).toEqual([status, status === 403 ? 0 : 1]);
  expect(await response.text()).toContain(status === 200 ? "here" : "Requests of other sites are refused");
});

test("a link of another site may lead through a service worker", () => {
  const refusal = (headers: IncomingMessage["headers"]) =>
    admission.refusalOfForeign({ url: "/?show=a", headers });
  expect(refusal(foreign("empty", "navigate"))).toBeNull();
  expect(refusal(foreign("empty", "cors"))?.status).toBe(403);
});

test.each([
  ["GET /?search=show&notes=no", "memory"],
  ["GET /?show=a&notes=no&page=2", "database"],
  ["GET /?page=2&notes=no&%73h%6fw=a", "database"],
  ["GET /api/reviews?show_id=a&answer=no", "database"],
  ["DELETE /api/reviews?show_id=a", "write"],
  ["POST /api/reports?show=a", "write"],
  ["GET /api/shows?yes=none", "memory"],
  ["GET /api/shows/a%2fb/badge.svg?x", "memory"],
  ["GET /assets/site-1.js", "file"],
  ["GET /assets/../api/reviews", "database"],
  ["GET /%61pi/shows", "database"],
  ["GET /healthz", "probe"],
])("%s needs %s", (request, cost) => {
  const [method = "", url = ""] = request.split(" ");
  expect(admission.costOf({ method, url, headers: {} })).toBe(cost);
});

test("every address has one row, and a row says what it costs and how it is limited", () => {
  expect(new Set(routes.map(({ path }) => path)).size).toBe(routes.length);
  const { cost, limit, ...neither } = routes[0] ?? expect.fail();
  // @ts-expect-error: without its cost
  const withoutCost: Route = { ...neither, limit };
  // @ts-expect-error: without its limit
  const withoutLimit: Route = { ...neither, cost };
  // @ts-expect-error: of an unknown limit
  const unlimited: Route = { ...neither, cost, limit: "often" };
  expect([withoutCost, withoutLimit, unlimited]).toHaveLength(3);
});
