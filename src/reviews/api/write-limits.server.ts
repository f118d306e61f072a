import type { MiddlewareHandler } from "hono";
import { CompiledQuery, type Kysely } from "kysely";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { SignedInUser } from "../../auth/session.ts";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";

/** How many reviews one user may write within so many seconds, the shortest time first. */
const limits = [
  { points: 6, duration: 60 },
  { points: 30, duration: 3_600 },
  { points: 100, duration: 86_400 },
];

/** How far the clocks of two machines may be apart, in ms. */
const LEEWAY = 60_000;

/**
 * Counts a write of a user, for all instances together. A write that a short limit refuses does not use up
 * the longer ones.
 * @throws HttpError 429 `rate_limited`
 */
export function createWriteLimits(db: Kysely<Schema>): (userId: string) => Promise<void> {
  const limiters = limits.map((limit, index) => createLimiter(db, limit, index === 0));
  return async function countWrite(userId) {
    for (const limiter of limiters) {
      const { consumedPoints, msBeforeNext } = await consume(limiter, userId);
      if (consumedPoints > limiter.points) throw tooManyReviews(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    }
  };
}

/** Refuses the writes of users who wrote too many reviews. Stands behind `requireUser`. */
export function limitWrites(db: Kysely<Schema>): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  const countWrite = createWriteLimits(db);
  return async function limitWrite(c, next) {
    await countWrite(c.get("user").id);
    await next();
  };
}

/** @param isSweeper whether it removes what has expired in the table, which all limiters share */
function createLimiter(db: Kysely<Schema>, { points, duration }: (typeof limits)[number], isSweeper: boolean) {
  return new RateLimiterPostgres({
    storeClient: {
      query: ({ text, values }: { text: string; values: unknown[] }) =>
        db.executeQuery(CompiledQuery.raw(text, values)),
    },
    storeType: "client",
    tableName: "review_limits",
    tableCreated: true,
    clearExpiredByTimeout: isSweeper,
    keyPrefix: String(duration),
    points,
    duration,
  });
}

/** A count that lasts longer than any does was begun when a clock was ahead: it begins anew. */
async function consume(limiter: RateLimiterPostgres, userId: string): Promise<RateLimiterRes> {
  const result = await limiter.consume(userId).catch(asResult);
  if (result.msBeforeNext <= limiter.duration * 1000 + LEEWAY) return result;
  await limiter.delete(userId);
  return limiter.consume(userId).catch(asResult);
}

/** The library rejects with the result when it refuses. */
function asResult(refused: unknown): RateLimiterRes {
  if (refused instanceof RateLimiterRes) return refused;
  throw refused;
}

/** @param wait in seconds */
function tooManyReviews(wait: number): HttpError {
  return new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", wait);
}
