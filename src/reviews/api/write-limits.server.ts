import type { MiddlewareHandler } from "hono";
import { CompiledQuery, type Kysely, sql } from "kysely";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { SignedInUser } from "../../auth/session.ts";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";

/**
 * Writes per user (`points`) and window (`duration`, in s), the shortest window first (docs/product.md
 * §5.16).
 */
const limits = [
  { points: 6, duration: 60 },
  { points: 30, duration: 3_600 },
  { points: 100, duration: 86_400 },
];

/** Writes of an account's first day, of those that the longest window counts (docs/product.md §5.16). */
const FIRST_DAY_WRITES = 20;

/** The tolerated difference between the clocks of two machines, in ms. */
const LEEWAY = 60_000;

/**
 * Returns a function that counts a write of a user, over all instances. A write that a shorter limit refuses
 * does not count towards the longer ones. On an account's first day, fewer reviews may be sent; deletions
 * count, but are not refused for that.
 * @throws HttpError 429 `rate_limited`
 */
export function createWriteLimits(
  db: Kysely<Schema>,
): (userId: string, kind?: "review" | "deletion") => Promise<void> {
  const limiters = limits.map((limit, index) => createLimiter(db, limit, index === 0));
  return async function countWrite(userId, kind = "review") {
    let writes = 0;
    for (const limiter of limiters) {
      const { consumedPoints, msBeforeNext } = await consume(limiter, userId);
      if (consumedPoints > limiter.points) throw tooManyReviews(msBeforeNext / 1000);
      writes = consumedPoints;
    }
    if (kind === "deletion" || writes <= FIRST_DAY_WRITES) return;
    const left = await findFirstDayLeft(db, userId);
    if (left > 0) throw tooManyReviews(left);
  };
}

/** Middleware that enforces the write limits. It needs `requireUser` before it. */
export function limitWrites(db: Kysely<Schema>): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  const countWrite = createWriteLimits(db);
  return async function limitWrite(c, next) {
    await countWrite(c.get("user").id, c.req.method === "DELETE" ? "deletion" : "review");
    await next();
  };
}

/**
 * @param isSweeper whether this limiter deletes expired rows; all limiters share one table, so one suffices
 */
function createLimiter(
  db: Kysely<Schema>,
  { points, duration }: (typeof limits)[number],
  isSweeper: boolean,
) {
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

/** Resets a count that ends later than its window allows: it began while a clock was ahead. */
async function consume(limiter: RateLimiterPostgres, userId: string): Promise<RateLimiterRes> {
  const result = await limiter.consume(userId).catch(asResult);
  if (result.msBeforeNext <= limiter.duration * 1000 + LEEWAY) return result;
  await limiter.delete(userId);
  return limiter.consume(userId).catch(asResult);
}

/** The library rejects with the result when the limit is exceeded. */
function asResult(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}

/** How many seconds of the account's first day are left, by the database's clock. Negative afterwards. */
async function findFirstDayLeft(db: Kysely<Schema>, userId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from created_at + interval '1 day' - now())::float8 as left from users where id = ${userId}`.execute(
    db,
  );
  return rows[0]?.left ?? 0;
}

/** @param wait in seconds */
function tooManyReviews(wait: number): HttpError {
  const retryAfter = Math.max(1, Math.ceil(wait));
  return new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", retryAfter);
}
