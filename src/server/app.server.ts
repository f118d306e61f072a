import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Logger } from "pino";
import { accountRoutes } from "../accounts/account-routes.server.ts";
import { readPageFiles } from "../app/page-files.server.ts";
import { createPageRenderer, inlineScripts } from "../app/render-page.server.tsx";
import { createAuthApi } from "../auth/api/auth-api.server.ts";
import { requireUser } from "../auth/api/authenticate.server.ts";
import { providers } from "../auth/session.ts";
import type { SigningKeys } from "../auth/tokens/signing-keys.server.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { buildInfo } from "../config/build-info.server.ts";
import type { Config } from "../config/environment.server.ts";
import type { Db } from "../database/schema.server.ts";
import { fillListenerCache, type ListenerCache } from "../http/cache/listener-cache.server.ts";
import { vary } from "../http/cache/shared-caching.server.ts";
import { createClientOf, createNetworksOf, type NetworksOf } from "../http/clients/client-address.server.ts";
import { type CreateRateCounter, createRateCounters, limitRate } from "../http/clients/rate-limit.server.ts";
import {
  logPathAs,
  type RecordRequest,
  recordRequests,
} from "../http/observability/record-requests.server.ts";
import { HttpError, handleErrors, sendError } from "../http/requests/errors.server.ts";
import { openApiDocument } from "../http/requests/openapi.server.ts";
import { redirectToOrigin } from "../http/requests/redirect-to-origin.server.ts";
import { allowMethods, requireClientKey } from "../http/requests/required.server.ts";
import { staticFiles } from "../http/requests/static-files.server.ts";
import { contentSecurityPolicy } from "../http/security/content-security-policy.server.ts";
import { sendNoReferrer, sendSecurityHeaders } from "../http/security/security-headers.server.ts";
import { securityTxt } from "../legal/security-txt.server.ts";
import { moderationRoutes } from "../moderation/api/moderation-routes.server.ts";
import {
  describeObjection,
  describeReport,
  objectionRoutes,
  reportRoutes,
} from "../moderation/api/reports-api.server.ts";
import { requeueHiddenNote } from "../moderation/store/reports-table.server.ts";
import {
  describeSavedShows,
  describeSavedTallies,
  savedListRoutes,
} from "../offline/documents-api.server.ts";
import { workerRoute } from "../offline/worker-route.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../reviews/api/reviews-api.server.ts";
import {
  describeOwnReviews,
  describeReviewRemoval,
  describeReviews,
  describeReviewWrite,
} from "../reviews/api/reviews-api-schema.server.ts";
import type { TalliesUpdate } from "../reviews/store/reviews-table.server.ts";
import { badgeRoutes } from "../shows/badge/badge-api.server.ts";
import { crawlerRoutes } from "../shows/crawler-routes.server.ts";
import { previewRoutes } from "../shows/preview/preview-api.server.ts";
import { showRoutes } from "../shows/shows-api.server.ts";
import {
  describeBadge,
  describePreview,
  describeShows,
  describeSitePreview,
} from "../shows/shows-api-schema.server.ts";
import { createBusyPage, openData } from "./load-shedding.server.ts";
import type { Metrics } from "./metrics.server.ts";
import { metricsRoute } from "./metrics-route.server.ts";
import { pageRoutes } from "./page-routes.server.ts";
import { rateLimits } from "./rate-limits.server.ts";
import { healthRoutes, type Readiness } from "./readiness.server.ts";
import { storedFiles } from "./stored-files.server.ts";

export interface AppOptions {
  config: Config;
  data: {
    db: Db;
    signingKeys: SigningKeys;
    catalogue: Catalogue;
    notes: NotesCache;
    onWritten: (update: TalliesUpdate) => void;
  };
  observation: {
    readiness: () => Promise<Readiness>;
    metrics: Metrics;
    recordRequest: RecordRequest;
    onRefused: () => void;
    log: Logger;
  };
  listenerCache?: ListenerCache;
  networksOf?: NetworksOf;
  createRateCounter?: CreateRateCounter;
  /** In ms. How long a page may be stale while the list changes faster than that. */
  maxStale?: number;
  /** The folder of the built browser files; undefined if something else serves them. */
  clientFiles?: string;
}

const apiInfo = {
  title: "Front Row",
  version: buildInfo.version,
  description:
    "How much audience interaction Fringe shows have. Pages of any site may read this document, /api/tallies.json and /api/offline/shows.json. A path or a query above 2,048 bytes gets 414 `uri_too_long`.",
};

const apiOperations = {
  "/api/shows": { get: describeShows },
  "/api/shows/{id}/preview.png": { get: describePreview },
  "/api/shows/{id}/badge.svg": { get: describeBadge },
  "/api/preview.png": { get: describeSitePreview },
  "/api/tallies.json": { get: describeSavedTallies },
  "/api/offline/shows.json": { get: describeSavedShows },
  "/api/reviews": { get: describeReviews, put: describeReviewWrite, delete: describeReviewRemoval },
  "/api/reviews/mine": { get: describeOwnReviews },
  "/api/reports": { post: describeReport },
  "/api/reviews/objections": { post: describeObjection },
};

const sharing = { allowMethods: ["GET", "HEAD"], exposeHeaders: ["ETag", "Retry-After"], maxAge: 86_400 };

export function createApp({ config, data, observation, maxStale, ...options }: AppOptions): Hono {
  const { origin, operator, publicClientKey, trustedProxies } = config;
  const { db, signingKeys, catalogue, notes, onWritten } = data;
  const { readiness, metrics, recordRequest, onRefused, log } = observation;
  const { clientFiles, listenerCache, networksOf = createNetworksOf(trustedProxies) } = options;
  const { createRateCounter = createRateCounters({ networksOf, log }) } = options;
  const clientOf = createClientOf(networksOf);
  const app = new Hono();

  app.onError(handleErrors(log));
  app.use(recordRequests(recordRequest, onRefused));
  if (listenerCache) app.use(fillListenerCache(listenerCache));
  app.use("/auth/v1/*", sendNoReferrer);
  app.use("/api/moderation/*", sendNoReferrer, logPathAs("/api/moderation/…"));
  app.use(sendSecurityHeaders(origin, config.hstsSubdomains));
  app.route("/", healthRoutes(readiness));
  app.route("/", metricsRoute(metrics.read, config.metricsToken));
  if (clientFiles) app.route("/", staticFiles(clientFiles));
  app.route("/", storedFiles(db, log));
  app.route("/", workerRoute(config.offline));

  const requireKey = requireClientKey(publicClientKey);
  const authApi = createAuthApi({
    db,
    signingKeys,
    signIn: config.signIn,
    origin,
    redirectOrigins: config.redirectOrigins,
    redirectUrls: config.redirectUrls,
    requireKey,
    countSignIn: createRateCounter(rateLimits.signIn),
    countCall: createRateCounter(rateLimits.authCalls),
    recordSignIn: metrics.recordSignIn,
    accountRoutes,
    log,
  });
  app.route("/auth/v1", authApi.routes);
  const checkUser = requireUser(authApi.authenticate);

  // Before the rate limit of the API: requests of other sites must not use it up.
  const countReport = createRateCounter(rateLimits.reports);
  const reports = { db, origin, networksOf, countReport, requireKey, requireUser: checkUser, log };
  app.route("/api", reportRoutes(reports));
  for (const path of openData) app.use(path, allowAllOrigins, cors(sharing));
  app.use("/api/*", limitRate(createRateCounter(rateLimits.api)));
  app.get("/api/openapi.json", openApiDocument(apiInfo, apiOperations));
  const countPreview = createRateCounter(rateLimits.previews);
  app.route("/api", previewRoutes({ catalogue, countPreview, onRefused, clientOf }));
  app.route("/api", badgeRoutes(catalogue));
  app.route("/api", savedListRoutes(catalogue));
  const limitRequests = limitRate(createRateCounter(rateLimits.moderation), refusePage);
  app.route("/api", moderationRoutes({ db, origin, limitRequests, log }));
  app.use("/api/*", vary("apikey"), requireKey);
  app.route("/api", objectionRoutes({ db, requireUser: checkUser, log }));
  app.route("/api", showRoutes(catalogue, createRateCounter(rateLimits.searches)));
  app.route(
    "/api",
    reviewRoutes({
      db,
      notes,
      onWritten,
      onHidden: requeueHiddenNote,
      countReview: metrics.countReview,
      countForNetwork: createRateCounter(rateLimits.reviews),
      isListed: catalogue.has,
      isLoaded: () => catalogue.state().loaded,
      requireUser: checkUser,
      log,
    }),
  );
  app.all("/api/*", (c) =>
    sendError(c, new HttpError(404, "not_found", "There is nothing at this address.")),
  );

  app.use(limitRate(createRateCounter(rateLimits.pages), refusePage));
  // React Router would log other methods as errors.
  app.use(allowMethods("GET", "HEAD"));
  if (config.isOriginConfigured) app.use(redirectToOrigin(origin));
  app.route("/", crawlerRoutes(catalogue, origin));
  if (operator) app.route("/", securityTxt(operator.email, origin));
  const configured = providers.filter((provider) => config.signIn[provider]);
  const { offline } = config;
  const files = readPageFiles();
  const site = {
    origin,
    clientKey: publicClientKey,
    providers: configured,
    operatorEmail: operator?.email ?? null,
    offline,
    build: files.build,
  };
  const render = createPageRenderer({ site, operator, files, catalogue });
  const policy = import.meta.env.DEV
    ? developmentPolicy
    : contentSecurityPolicy(inlineScripts, origin.startsWith("https:"));
  const countRendering = createRateCounter(rateLimits.renderings);
  app.route("/", pageRoutes({ render, policy, catalogue, notes, maxStale, clientOf, countRendering, log }));
  return app;
}

const allowAllOrigins: MiddlewareHandler = async function allowAllOrigins(c, next) {
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  return next();
};

/** Vite injects inline styles and scripts, and opens a WebSocket on another port. */
const developmentPolicy = "frame-ancestors 'none'";

function refusePage(wait: number): Error {
  return createBusyPage(429, wait);
}
