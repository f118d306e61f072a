import { Hono } from "hono";
import { type AuthApiOptions, createAuthApi } from "../auth/api/auth-api.server.ts";
import { requireUser } from "../auth/api/authenticate.server.ts";
import { createModerationTokens } from "../auth/tokens/moderation-token.server.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { Operator } from "../domain/operator.ts";
import { BusyPageError } from "../http/admission/busy-page.server.ts";
import { type Replay, recordReplayable } from "../http/cache/replay.server.ts";
import { vary } from "../http/cache/shared-caching.server.ts";
import { requireClientKey } from "../http/clients/client-key.server.ts";
import { type CreateRateCounter, createRateCounters, limitRate } from "../http/clients/rate-limit.server.ts";
import { rateLimits } from "../http/clients/rate-limits.server.ts";
import { healthRoutes, type Readiness } from "../http/observability/health.server.ts";
import { metricsRoute } from "../http/observability/metrics-route.server.ts";
import { type RecordRequest, recordRequests } from "../http/observability/record-requests.server.ts";
import { allowMethods } from "../http/requests/allow-methods.server.ts";
import { HttpError, handleErrors, sendError } from "../http/requests/errors.server.ts";
import { openApiDocument } from "../http/requests/openapi.server.ts";
import { redirectToOrigin } from "../http/requests/redirect-to-origin.server.ts";
import { staticFiles } from "../http/requests/static-files.server.ts";
import { sendNoReferrer } from "../http/security/no-referrer.server.ts";
import { sendSecurityHeaders } from "../http/security/security-headers.server.ts";
import { moderationRoutes } from "../moderation/api/moderation-routes.server.ts";
import { objectionRoutes } from "../moderation/api/objections-api.server.ts";
import { describeObjection } from "../moderation/api/objections-api-schema.server.ts";
import { reportRoutes } from "../moderation/api/reports-api.server.ts";
import { describeReport } from "../moderation/api/reports-api-schema.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../reviews/api/reviews-api.server.ts";
import {
  describeOwnReviews,
  describeReviewRemoval,
  describeReviews,
  describeReviewWrite,
} from "../reviews/api/reviews-api-schema.server.ts";
import type { TalliesUpdate } from "../reviews/store/tallies-notification.server.ts";
import { crawlerRoutes } from "../shows/crawler-routes.server.ts";
import { previewRoutes } from "../shows/preview/preview-api.server.ts";
import { showRoutes } from "../shows/shows-api.server.ts";
import { describePreview, describeShows, describeSitePreview } from "../shows/shows-api-schema.server.ts";
import type { Metrics } from "./metrics.server.ts";
import { pageRoutes } from "./page-routes.server.ts";
import { storedFiles } from "./stored-files-route.server.ts";

export interface AppOptions extends Omit<AuthApiOptions, "recordSignIn" | "createRateCounter"> {
  catalogue: Catalogue;
  notes: NotesCache;
  /** Called with a show's new tallies after each review that this instance has stored. */
  onWritten: (update: TalliesUpdate) => void;
  /** Who runs the site; null for a demo. */
  operator: Operator | null;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  /** Called for each finished request. */
  recordRequest: RecordRequest;
  /** The cache in front of the app, which replays responses. */
  replay?: Replay;
  /** Called for each request that is refused because of overload. */
  onRefused: () => void;
  /** How long a page of the list may be stale under churn, in ms. */
  maxStale?: number;
  /** Whether an operator has named the origin. Pages of other hosts redirect to it then. */
  isOriginConfigured?: boolean;
  /** The bearer token for the metrics; null allows only direct requests from this machine. */
  metricsToken: string | null;
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** Whether browsers must use https for the subdomains of `origin` too. */
  hstsSubdomains: boolean;
  /** Creates the counters of rate limits; own ones unless given. */
  createRateCounter?: CreateRateCounter;
  /** The folder of the built browser files; undefined if something else serves them. */
  clientFiles?: string;
}

const apiOperations = {
  "/api/shows": { get: describeShows },
  "/api/shows/{id}/preview.png": { get: describePreview },
  "/api/preview.png": { get: describeSitePreview },
  "/api/reviews": { get: describeReviews, put: describeReviewWrite, delete: describeReviewRemoval },
  "/api/reviews/mine": { get: describeOwnReviews },
  "/api/reports": { post: describeReport },
  "/api/reviews/objections": { post: describeObjection },
};

/** The whole site as one Hono app: files, health, API and pages. */
export function createApp(options: AppOptions): Hono {
  const { catalogue, log, metrics, publicClientKey } = options;
  const { createRateCounter = createRateCounters(options) } = options;
  const app = new Hono();

  app.onError(handleErrors(log));
  app.use(recordRequests(options.recordRequest));
  if (options.replay) app.use(recordReplayable(options.replay));
  app.use("/auth/v1/*", sendNoReferrer);
  app.use("/api/moderation/*", sendNoReferrer);
  app.use(sendSecurityHeaders(options));
  app.route("/", healthRoutes(options.readiness));
  app.route("/", metricsRoute({ read: metrics.read, token: options.metricsToken }));
  if (options.clientFiles) app.route("/", staticFiles(options.clientFiles));
  app.route("/", storedFiles(options.db, log));

  const authApi = createAuthApi({ ...options, createRateCounter, recordSignIn: metrics.recordSignIn });
  app.route("/auth/v1", authApi.routes);

  app.use("/api/*", limitRate(createRateCounter(rateLimits.api)));
  app.get("/api/openapi.json", openApiDocument(apiOperations));
  app.route("/api", previewRoutes({ ...options, countPreview: createRateCounter(rateLimits.previews) }));
  const requireKey = requireClientKey(publicClientKey);
  const checkUser = requireUser(authApi.authenticate);
  app.route(
    "/api",
    reportRoutes({
      ...options,
      countReport: createRateCounter(rateLimits.reports),
      requireKey,
      requireUser: checkUser,
    }),
  );
  const moderationTokens = createModerationTokens(options.signingKeys, options.origin);
  app.route(
    "/api",
    moderationRoutes({
      ...options,
      verifyLink: moderationTokens.verify,
      countRequest: createRateCounter(rateLimits.moderation),
    }),
  );
  app.use("/api/*", vary("apikey"), requireKey);
  app.route("/api", objectionRoutes({ ...options, requireUser: checkUser }));
  app.route("/api", showRoutes(catalogue, createRateCounter(rateLimits.searches)));
  app.route(
    "/api",
    reviewRoutes({
      ...options,
      countReview: metrics.countReview,
      countForNetwork: createRateCounter(rateLimits.reviews),
      isListed: catalogue.has,
      requireUser: checkUser,
    }),
  );
  app.all("/api/*", (c) =>
    sendError(c, new HttpError(404, "not_found", "There is nothing at this address.")),
  );

  app.use(limitRate(createRateCounter(rateLimits.pages), (wait) => new BusyPageError(429, wait)));
  // React Router would log other methods as errors of the pages.
  app.use(allowMethods("GET", "HEAD"));
  if (options.isOriginConfigured) app.use(redirectToOrigin(options));
  app.route("/", crawlerRoutes(options));
  const countRendering = createRateCounter(rateLimits.renderings);
  app.route("/", pageRoutes({ ...options, countRendering }));
  return app;
}
