import type { IncomingMessage } from "node:http";
import type { RequestCost } from "../http/admission/admit-requests.server.ts";
import type { RefusalError } from "../http/requests/errors.server.ts";
import type { Operations } from "../http/requests/openapi.server.ts";
import { isForeignSubresource } from "../http/security/fetch-metadata.server.ts";
import { describeObjection, describeReport } from "../moderation/api/reports-api.server.ts";
import { describeSavedShows, describeSavedTallies } from "../offline/documents-api.server.ts";
import {
  describeOwnReviews,
  describeReviewRemoval,
  describeReviews,
  describeReviewWrite,
} from "../reviews/api/reviews-api-schema.server.ts";
import {
  describeBadge,
  describePreview,
  describeShows,
  describeSitePreview,
} from "../shows/shows-api-schema.server.ts";
import type { rateLimits } from "./rate-limits.server.ts";
import { busyPage, createBusyPage, foreignPage, longAddressPage } from "./refusals.server.ts";

/**
 * What a refusal or another error of an address is. `auth`: JSON that auth-js reads. `redirect`: the handler counts the
 * request, and sends it back to the page. `report`: JSON; a redirect if it is a form. `link`: a page of moderation. No
 * page, also none of our own, loads a `redirect` or a `link`: visitors open them.
 */
export type Form = "page" | "json" | "auth" | "redirect" | "report" | "link";

type Request = Pick<IncomingMessage, "url" | "method" | "headers">;

/** The part of the app that answers. */
export type Part =
  | "auth"
  | "badges"
  | "crawlers"
  | "documents"
  | "files"
  | "health"
  | "links"
  | "metrics"
  | "objections"
  | "openapi"
  | "pages"
  | "previews"
  | "reports"
  | "reviews"
  | "securityTxt"
  | "shows"
  | "worker";

export interface Route {
  /** As Hono spells it. */
  path: string;
  /** Any other method gets 405. */
  methods: readonly ("GET" | "HEAD" | "POST" | "PUT" | "DELETE")[];
  cost: RequestCost | ((request: Request) => RequestCost);
  /** Null: that of all requests is enough. */
  limit: Exclude<keyof typeof rateLimits, "requests"> | null;
  /** Whether the client key is required. A form cannot send it. */
  key: boolean | "unless form";
  form: Form;
  handler: Part;
  describe?: Operations;
  /** What their pages may do besides a link that a visitor follows (docs/product.md §8.14). `nothing`: no link either. */
  otherSites?: "read" | "embed" | "nothing";
}

const read = ["GET", "HEAD"] as const;
/** A HEAD request must not use up a state. */
const once = ["GET"] as const;
const send = ["POST"] as const;

/** The page of a show waits for its notes, unless they are in memory. Letters may be percent-encoded. */
const showPage = /^\/\?(.*&)?(s|%73)(h|%68)(o|%6f)(w|%77)=/i;

/** What rows share that differ in little more than their path. */
const plain = { methods: read, cost: "memory", limit: null, key: false } as const;
const file = { ...plain, form: "page", handler: "files" } as const;
const probe = { ...plain, cost: "probe", form: "json", handler: "health" } as const;
const page = { ...plain, limit: "pages", form: "page", handler: "pages" } as const;
const open = { ...plain, limit: "api", form: "json" } as const;
const picture = { ...open, otherSites: "embed" } as const;
const preview = { ...picture, limit: "previews", handler: "previews" } as const;
const document = { ...open, handler: "documents", otherSites: "read" } as const;
const database = { cost: "database", limit: "api", key: true, form: "json" } as const;
const step = { ...plain, methods: once, cost: "database", limit: "signIn", form: "redirect" } as const;
const authCall = { limit: "authCalls", key: true, form: "auth", otherSites: "nothing" } as const;

/**
 * Every address of the site, once. From here come what a request costs, its rate limit, 405, the client key, the form
 * of its refusals, OpenAPI, and what other sites may load. Any other address is 404.
 */
export const routes: readonly Route[] = [
  { path: "/", ...page, cost: ({ url = "" }) => (showPage.test(url) ? "database" : "memory") },
  { path: "/auth", ...page },
  { path: "/terms", ...page },
  { path: "/privacy", ...page },
  { path: "/robots.txt", ...page, handler: "crawlers" },
  { path: "/sitemap.xml", ...page, handler: "crawlers" },
  { path: "/.well-known/security.txt", ...page, handler: "securityTxt" },

  { path: "/assets/*", ...file, cost: "file" },
  { path: "/worker.js", ...file, handler: "worker" },
  { path: "/site.webmanifest", ...file },
  { path: "/favicon.svg", ...file },
  { path: "/favicon.ico", ...file },
  { path: "/apple-touch-icon.png", ...file },
  { path: "/icon-192.png", ...file },
  { path: "/icon-512.png", ...file },
  { path: "/icon-maskable-512.png", ...file },

  { path: "/healthz", ...probe },
  { path: "/readyz", ...probe },
  { path: "/metrics", ...probe, handler: "metrics" },

  { path: "/api/shows", ...open, key: true, handler: "shows", describe: { get: describeShows } },
  { path: "/api/shows/:id/preview.png", ...preview, describe: { get: describePreview } },
  { path: "/api/preview.png", ...preview, describe: { get: describeSitePreview } },
  { path: "/api/shows/:id/badge.svg", ...picture, handler: "badges", describe: { get: describeBadge } },
  { path: "/api/openapi.json", ...document, handler: "openapi" },
  { path: "/api/tallies.json", ...document, describe: { get: describeSavedTallies } },
  { path: "/api/offline/shows.json", ...document, describe: { get: describeSavedShows } },

  {
    path: "/api/reviews",
    ...database,
    methods: [...read, "PUT", "DELETE"],
    cost: ({ method }) => (method === "PUT" || method === "DELETE" ? "write" : "database"),
    handler: "reviews",
    describe: { get: describeReviews, put: describeReviewWrite, delete: describeReviewRemoval },
  },
  {
    path: "/api/reviews/mine",
    ...database,
    methods: read,
    handler: "reviews",
    describe: { get: describeOwnReviews },
  },
  {
    path: "/api/reviews/objections",
    ...database,
    methods: send,
    cost: "write",
    handler: "objections",
    describe: { post: describeObjection },
  },
  {
    path: "/api/reports",
    methods: send,
    cost: "write",
    limit: "reports",
    key: "unless form",
    form: "report",
    handler: "reports",
    otherSites: "nothing",
    describe: { post: describeReport },
  },
  {
    path: "/api/moderation/:token",
    ...plain,
    methods: [...read, "POST"],
    cost: "database",
    limit: "moderation",
    form: "link",
    handler: "links",
  },

  { path: "/auth/v1/authorize", ...step, handler: "auth" },
  { path: "/auth/v1/callback", ...step, handler: "auth" },
  { path: "/auth/v1/health", ...plain, form: "auth", handler: "auth" },
  { path: "/auth/v1/.well-known/jwks.json", ...plain, cost: "database", form: "auth", handler: "auth" },
  { path: "/auth/v1/settings", ...authCall, methods: read, cost: "memory", handler: "auth" },
  { path: "/auth/v1/token", ...authCall, methods: send, cost: "write", handler: "auth" },
  { path: "/auth/v1/logout", ...authCall, methods: send, cost: "write", handler: "auth" },
  { path: "/auth/v1/user", ...authCall, methods: [...read, "DELETE"], cost: "database", handler: "auth" },
  { path: "/auth/v1/user/export", ...authCall, methods: read, cost: "database", handler: "auth" },
  { path: "/auth/v1/user/sessions", ...authCall, methods: read, cost: "database", handler: "auth" },
];

const byPath = new Map(routes.map((route) => [route.path, route]));
const patterns = routes
  .filter(({ path }) => /[:*]/.test(path))
  .map((route) => ({ route, pattern: patternOf(route.path) }));

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+").replace("*", "[\\w.-]+");
  return new RegExp(`^${pattern}$`);
}

/** By the URL as spelled, before the app routes it. Unusual spellings have no route. */
export function findRoute(url = ""): Route | undefined {
  const [path = ""] = url.split("?", 1);
  return byPath.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.route;
}

/** Without a route, the strictest cost: another spelling may lead to the same handler. */
function costOf(request: Request): RequestCost {
  const { cost = "database" } = findRoute(request.url) ?? {};
  return typeof cost === "function" ? cost(request) : cost;
}

/** Of an address without a route. */
export function formOf(path: string): Form {
  if (path.startsWith("/api/")) return "json";
  return /^\/auth\/./.test(path) ? "auth" : "page";
}

function isPageRefused({ url = "", headers }: Request): boolean {
  const form = findRoute(url)?.form ?? formOf(url);
  if (form === "report") return headers.accept?.includes("text/html") ?? false;
  return form !== "json" && form !== "auth";
}

export const isOpenData = (url: string | undefined) => findRoute(url)?.otherSites === "read";

function refusalOfForeign({ url, headers }: Request): RefusalError | null {
  const { otherSites, form } = findRoute(url) ?? {};
  const isForVisitors = form === "redirect" || form === "link";
  const isForAll = otherSites === "read" || otherSites === "embed";
  const isRefused =
    (isForVisitors && (headers["sec-fetch-dest"] ?? "document") !== "document") ||
    (otherSites === "nothing" && headers["sec-fetch-site"] === "cross-site") ||
    (!isForAll && isForeignSubresource(headers));
  return isRefused ? foreignPage : null;
}

/** auth-js ends the session at a 429 (docs/product.md §6.12). */
function refusalOfMany({ url }: Request, wait: number): RefusalError {
  return createBusyPage(findRoute(url)?.path === "/auth/v1/token" ? 503 : 429, wait);
}

/** How requests are admitted before the app routes them. */
export const admission = {
  costOf,
  isPage: isPageRefused,
  refusalOfForeign,
  refusalOfMany,
  tooLong: longAddressPage,
  busy: busyPage,
};
