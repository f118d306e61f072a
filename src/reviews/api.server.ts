import { Hono, type MiddlewareHandler } from "hono";
import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { SignedInUser } from "../auth/session.ts";
import type { Schema } from "../database/schema.server.ts";
import { answerWithin } from "../http/answer-within.server.ts";
import { handleErrors, unavailable } from "../http/errors.server.ts";
import { findReviewsOf } from "./review-queries.server.ts";

interface ReviewRoutesOptions {
  db: Kysely<Schema>;
  requireUser: MiddlewareHandler<{ Variables: { user: SignedInUser } }>;
  log: Logger;
}

/** How long an answer may take, in ms. */
const PATIENCE = 10_000;

/** `GET /reviews/mine`: the signed-in user's own reviews, newest first. */
export function reviewRoutes({ db, requireUser, log }: ReviewRoutesOptions) {
  const app = new Hono();
  app.onError(handleErrors(log, unavailable));
  app.get("/reviews/mine", answerWithin(PATIENCE), requireUser, async (c) => {
    return c.json({ reviews: await findReviewsOf(db, c.get("user").id) }, 200, { "Cache-Control": "no-store" });
  });
  return app;
}
