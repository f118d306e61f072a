import { Hono } from "hono";
import { type AuthApiOptions, createAuthApi } from "../auth/api/auth-api.server.ts";
import { requireUser } from "../auth/api/authenticate.server.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { BusyPageError } from "../http/admission/busy-page.server.ts";
import { type Replay, recordReplayable } from "../http/cache/replay.server.ts";
import { requireClientKey } from "../http/clients/client-key.server.ts";
import { createCountClients, limitClients } from "../http/clients/rate-limit.server.ts";
import { rateLimits } from "../http/clients/rate-limits.server.ts";
import { healthRoutes, type Readiness } from "../http/observability/health.server.ts";
import { metricsRoute } from "../http/observability/metrics-route.server.ts";
import { type NoteRequest, noteRequests } from "../http/observability/record-requests.server.ts";
import { allowMethods } from "../http/requests/allow-methods.server.ts";
import { HttpError, handleErrors, sendError } from "../http/requests/errors.server.ts";
import { describeApi } from "../http/requests/openapi.server.ts";
import { browserFiles } from "../http/requests/static-files.server.ts";
import { sendNoReferrer } from "../http/security/no-referrer.server.ts";
import { sendSecurityHeaders } from "../http/security/security-headers.server.ts";
import type { NotesCache } from "../reviews/api/notes-cache.server.ts";
import { reviewRoutes } from "../reviews/api/reviews-api.server.ts";
import { describeOwnReviews, describeReviews, describeReviewWrite } from "../reviews/api/reviews-api-schema.server.ts";
import type { TalliesUpdate } from "../reviews/api/tallies-notification.server.ts";
import { showRoutes } from "../shows/shows-api.server.ts";
import { describeShows } from "../shows/shows-api-schema.server.ts";
import type { Metrics } from "./metrics.server.ts";
import { pageRoutes } from "./page-routes.server.ts";

export interface AppOptions extends Omit<AuthApiOptions, "recordSignIn" | "countClients"> {
  catalogue: Catalogue;
  notes: NotesCache;
  /** Told of the new tallies of each show of which a review was written here. */
  onWritten: (told: TalliesUpdate) => void;
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
  /** Told of each request that was answered. */
  noteRequest: NoteRequest;
  /** What replays cached responses in front of the app. */
  replay?: Replay;
  /** Told of each request that is refused because there is too much to do. */
  onRefused: () => void;
  /** How long a page of the list may be stale under churn, in ms; the usual time unless given. */
  maxStale?: number;
  /** Who may read the metrics; null: whoever is on this machine. */
  metricsToken: string | null;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** The folder of built browser files; undefined where something else serves them. */
  clientFiles?: string;
}

const described = {
  "/api/shows": { get: describeShows },
  "/api/reviews": { get: describeReviews, put: describeReviewWrite },
  "/api/reviews/mine": { get: describeOwnReviews },
};

/** The whole site as one Hono app: files, health, API and pages. */
export function createApp(options: AppOptions): Hono {
  const { catalogue, log, metrics, publicClientKey } = options;
  const countClients = createCountClients(options);
  const app = new Hono();

  app.onError(handleErrors(log));
  app.use(noteRequests(options.noteRequest));
  if (options.replay) app.use(recordReplayable(options.replay));
  app.use("/auth/v1/*", sendNoReferrer);
  app.use(sendSecurityHeaders(options.origin));
  app.route("/", healthRoutes(options.readiness));
  app.route("/", metricsRoute({ read: metrics.read, token: options.metricsToken }));
  if (options.clientFiles) app.route("/", browserFiles(options.clientFiles));

  const accounts = createAuthApi({ ...options, countClients, recordSignIn: metrics.recordSignIn });
  app.route("/auth/v1", accounts.routes);

  app.use("/api/*", limitClients(countClients(rateLimits.api)));
  app.get("/api/openapi.json", (c) => c.json(describeApi(described)));
  app.use("/api/*", requireClientKey(publicClientKey));
  app.route("/api", showRoutes(catalogue));
  app.route(
    "/api",
    reviewRoutes({
      ...options,
      countReview: metrics.countReview,
      isListed: catalogue.has,
      requireUser: requireUser(accounts.authenticate),
    }),
  );
  app.all("/api/*", (c) => sendError(c, new HttpError(404, "not_found", "There is nothing at this address.")));

  app.use(limitClients(countClients(rateLimits.pages), (wait) => new BusyPageError(429, wait)));
  // React Router would take anything else for a mistake in the pages, and log it.
  app.use(allowMethods("GET", "HEAD"));
  app.route("/", pageRoutes(options));
  return app;
}
