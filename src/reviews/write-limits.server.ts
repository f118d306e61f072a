import type { Pool } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { HttpError } from "../http/errors.server.ts";

/** How many reviews somebody may write: in a minute, an hour and a day, the shortest first. */
const limits = [
  { points: 6, duration: 60 },
  { points: 30, duration: 3_600 },
  { points: 100, duration: 86_400 },
];

/** Counts a write of a user's. @throws HttpError 429 `rate_limited`; what a limit refuses does not use up the longer ones */
export type CountWrite = (userId: string) => Promise<void>;

/** The counts are kept in the database, the same for all instances. */
export function createWriteLimits(pool: Pool): CountWrite {
  const limiters = limits.map(
    ({ points, duration }) =>
      new RateLimiterPostgres({
        storeClient: pool,
        storeType: "pool",
        tableName: "review_limits",
        tableCreated: true,
        keyPrefix: String(duration),
        points,
        duration,
      }),
  );
  return async function countWrite(userId) {
    for (const limiter of limiters) {
      const wait = await waitOf(limiter, userId);
      // Whoever presses again and again waits for a minute, not for a day.
      if (wait > 0) throw tooManyReviews(Math.ceil(wait / 1000));
    }
  };
}

function tooManyReviews(wait: number): HttpError {
  return new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", wait);
}

/** How far the clocks of two machines may be apart, in ms. */
const LEEWAY = 60_000;

/**
 * Counts a write; answers how long the limit makes one wait, in ms: 0 when there is something left. A count that would last longer than
 * counts last is from a time when a clock was ahead, and begins anew.
 */
async function waitOf(limiter: RateLimiterPostgres, userId: string): Promise<number> {
  const wait = await consume(limiter, userId);
  if (wait <= limiter.duration * 1000 + LEEWAY) return wait;
  await limiter.delete(userId);
  return consume(limiter, userId);
}

async function consume(limiter: RateLimiterPostgres, userId: string): Promise<number> {
  try {
    await limiter.consume(userId);
    return 0;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
    throw refused;
  }
}
