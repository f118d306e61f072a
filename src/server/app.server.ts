import { type Context, type ErrorHandler, Hono, type MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { accountRoutes } from "../accounts/account-routes.server.ts";
import { readPageFiles } from "../app/page-files.server.ts";
import { createPageRenderer, inlineScripts } from "../app/render-page.server.tsx";
import { createAuthApi, rateLimitError, sendAuthError } from "../auth/api/auth-api.server.ts";
import { requireUser } from "../auth/api/authenticate.server.ts";
import type { SigningKeys } from "../auth/tokens/signing-keys.server.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { buildInfo } from "../config/build-info.server.ts";
import type { Config } from "../config/environment.server.ts";
import type { Db } from "../database/schema.server.ts";
import { providers } from "../domain/account.ts";
import { fillListenerCache, type ListenerCache } from "../http/cache/listener-cache.server.ts";
import { createClientOf, createNetworksOf, type NetworksOf } from "../http/clients/client-address.server.ts";
import { type CreateRateCounter, createRateCounters, limitRate } from "../http/clients/rate-limit.server.ts";
import { logPathAs } from "../http/observability/logged-path.server.ts";
import { type RecordRequest, recordRequests } from "../http/observability/record-requests.server.ts";
import { HttpError, handleErrors, sendPageOfRefusal } from "../http/requests/errors.server.ts";
import { openApiDocument } from "../http/requests/openapi.server.ts";
import { redirectToOrigin } from "../http/requests/redirect-to-origin.server.ts";
import { allowMethods, requireClientKey } from "../http/requests/required.server.ts";
import { staticFiles } from "../http/requests/static-files.server.ts";
import { contentSecurityPolicy } from "../http/security/content-security-policy.server.ts";
import { sendNoReferrer, sendSecurityHeaders } from "../http/security/security-headers.server.ts";
import { securityTxt } from "../legal/security-txt.server.ts";
import { mapValues } from "../lib/map-values.ts";
import { moderationRoutes } from "../moderation/api/moderation-routes.server.ts";
import { objectionRoutes, reportRoutes, sendReportError } from "../moderation/api/reports-api.server.ts";
import { requeueHiddenNote } from "../moderation/store/reports-table.server.ts";
import { savedListRoutes } from "../offline/documents-api.server.ts";
import { workerRoute } from "../offline/worker-route.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../reviews/api/reviews-api.server.ts";
import type { TalliesUpdate } from "../reviews/store/reviews-table.server.ts";
import { badgeRoutes } from "../shows/badge/badge-api.server.ts";
import { crawlerRoutes } from "../shows/crawler-routes.server.ts";
import { previewRoutes } from "../shows/preview/preview-api.server.ts";
import { showRoutes } from "../shows/shows-api.server.ts";
import { type Counters, formOfRequest, guardRoutes, refusePage } from "./guard-routes.server.ts";
import type { Metrics } from "./metrics.server.ts";
import { metricsRoute } from "./metrics-route.server.ts";
import { createPages } from "./pages.server.ts";
import { rateLimits } from "./rate-limits.server.ts";
import { healthRoutes, type Readiness } from "./readiness.server.ts";
import { busyPage } from "./refusals.server.ts";
import { type Form, formOf, type Part, routes } from "./routes.server.ts";
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

export function createApp({ config, data, observation, maxStale, ...options }: AppOptions): Hono {
  const { origin, operator, publicClientKey, trustedProxies } = config;
  const { db, signingKeys, catalogue, notes, onWritten } = data;
  const { readiness, metrics, recordRequest, onRefused, log } = observation;
  const { clientFiles, listenerCache, networksOf = createNetworksOf(trustedProxies) } = options;
  const { createRateCounter = createRateCounters({ networksOf, log }) } = options;
  const clientOf = createClientOf(networksOf);
  const app = new Hono();

  const counters: Counters = mapValues(rateLimits, createRateCounter);
  const inForm: Record<Form, ErrorHandler> = {
    page: handleErrors(log, { send: sendPageOfRefusal }),
    json: handleErrors(log),
    auth: handleErrors(log, { send: sendAuthError }),
    redirect: handleErrors(log, { send: sendAuthError }),
    report: handleErrors(log, { send: sendReportError }),
    link: handleErrors(log, { send: sendPageOfRefusal }),
  };
  app.onError((error, c) => inForm[formOfRequest(c)](error, c));
  app.use(recordRequests(recordRequest, onRefused));
  if (listenerCache) app.use(fillListenerCache(listenerCache));
  app.use("/auth/v1/*", sendNoReferrer);
  app.use("/api/moderation/*", sendNoReferrer, logPathAs("/api/moderation/…"));
  app.use(sendSecurityHeaders(origin, config.hstsSubdomains));
  const requireKey = requireClientKey(publicClientKey);
  guardRoutes(app, counters, requireKey);

  const authApi = createAuthApi({
    db,
    signingKeys,
    signIn: config.signIn,
    origin,
    redirectOrigins: config.redirectOrigins,
    redirectUrls: config.redirectUrls,
    countSignIn: counters.signIn,
    recordSignIn: metrics.recordSignIn,
    accountRoutes,
    log,
  });
  const checkUser = requireUser(authApi.authenticate);
  const reviews = {
    ...{ db, notes, onWritten, log },
    onHidden: requeueHiddenNote,
    countReview: metrics.countReview,
    countForNetwork: counters.reviews,
    isListed: catalogue.has,
    isLoaded: () => catalogue.state().loaded,
    requireUser: checkUser,
  };
  const pages = createPages({
    ...createRendering(config, catalogue),
    ...{ catalogue, notes, maxStale, clientOf, log },
    countRendering: counters.renderings,
  });
  const parts: Record<Part, () => unknown> = {
    auth: () => app.route("/auth/v1", authApi.routes),
    badges: () => app.route("/api", badgeRoutes(catalogue)),
    crawlers: () => app.route("/", crawlerRoutes(catalogue, origin)),
    documents: () => app.route("/api", savedListRoutes(catalogue)),
    files: () =>
      (clientFiles ? app.route("/", staticFiles(clientFiles)) : app).route("/", storedFiles(db, log)),
    health: () => app.route("/", healthRoutes(readiness)),
    links: () => app.route("/api", moderationRoutes({ db, origin, log })),
    metrics: () => app.route("/", metricsRoute(metrics.read, config.metricsToken)),
    objections: () => app.route("/api", objectionRoutes({ db, requireUser: checkUser, log })),
    openapi: () => app.get("/api/openapi.json", openApiDocument(apiInfo, routes)),
    pages: () => app.route("/", pages.routes),
    previews: () => app.route("/api", previewRoutes({ catalogue, refusal: busyPage, clientOf })),
    reports: () => app.route("/api", reportRoutes({ db, origin, networksOf, requireUser: checkUser, log })),
    reviews: () => app.route("/api", reviewRoutes(reviews)),
    securityTxt() {
      if (operator) app.route("/", securityTxt(operator.email, origin));
    },
    shows: () => app.route("/api", showRoutes(catalogue, counters.searches)),
    worker: () => app.route("/", workerRoute(config.offline)),
  };
  const toOrigin = config.isOriginConfigured ? redirectToOrigin(origin) : passOn;
  for (const { path, limit } of routes) if (limit === "pages") app.use(path, toOrigin);
  for (const part of new Set(routes.map(({ handler }) => handler))) parts[part]();

  const notFound = (c: Context) => inForm[formOf(c.req.path)](nothingThere, c);
  app.all("/api/*", limitRate(counters.api), notFound);
  app.all("/auth/v1/*", limitRate(counters.authCalls, rateLimitError), requireKey, notFound);
  app.all("*", limitRate(counters.pages, refusePage), allowMethods("GET", "HEAD"), toOrigin, (c) =>
    formOf(c.req.path) === "page" ? pages.sendUnknown(c) : notFound(c),
  );
  return app;
}

const passOn: MiddlewareHandler = (_, next) => next();

const nothingThere = new HttpError(404, "not_found", "There is nothing at this address.");

/** Vite injects inline styles and scripts, and opens a WebSocket on another port. */
const developmentPolicy = "frame-ancestors 'none'";

function createRendering(config: Config, catalogue: Catalogue) {
  const { origin, operator, offline, publicClientKey: clientKey } = config;
  const files = readPageFiles();
  const configured = providers.filter((provider) => config.signIn[provider]);
  const operatorEmail = operator?.email ?? null;
  const site = { origin, clientKey, providers: configured, operatorEmail, offline, build: files.build };
  return {
    render: createPageRenderer({ site, operator, files, catalogue }),
    policy: import.meta.env.DEV
      ? developmentPolicy
      : contentSecurityPolicy(inlineScripts, origin.startsWith("https:")),
  };
}
