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

type WriteKind = "review" | "deletion";

/**
 * Returns a function that counts a write of a user, over all instances. A write that one limit refuses counts
 * towards no other: else pressing again would prolong the wait that the first refusal has named. On an
 * account's first day, fewer reviews may be sent; deletions count, but are not refused for that.
 * @throws HttpError 429 `rate_limited`, with the time until all limits allow a write
 */
export function createWriteLimits(
  db: Kysely<Schema>,
  limiters = createLimiters(db),
): (userId: string, kind?: WriteKind) => Promise<void> {
  /** How many seconds are left until all limits allow a write. */
  async function findWait(userId: string, kind: WriteKind): Promise<number> {
    const waits = [0];
    let writes = 0;
    for (const limiter of limiters) {
      const count = await limiter.get(userId);
      writes = count?.consumedPoints ?? 0;
      if (count && writes >= limiter.points && isPlausible(count, limiter))
        waits.push(count.msBeforeNext / 1000);
    }
    if (kind === "review" && writes >= FIRST_DAY_WRITES) waits.push(await findFirstDayLeft(db, userId));
    return Math.max(...waits);
  }

  return async function countWrite(userId, kind = "review") {
    const allowing: RateLimiterPostgres[] = [];
    let writes = 0;
    for (const limiter of limiters) {
      ({ consumedPoints: writes } = await consume(limiter, userId));
      if (writes > limiter.points) break;
      allowing.push(limiter);
    }
    const isAllowed =
      allowing.length === limiters.length &&
      (kind === "deletion" || writes <= FIRST_DAY_WRITES || (await findFirstDayLeft(db, userId)) <= 0);
    if (isAllowed) return;
    await giveBack(allowing, userId);
    throw tooManyReviews(await findWait(userId, kind));
  };
}

/**
 * Middleware that enforces the write limits. A write that the limit of its network refuses does not count. It
 * needs `requireUser` before it.
 */
export function limitWrites(db: Kysely<Schema>): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  const limiters = createLimiters(db);
  const countWrite = createWriteLimits(db, limiters);
  return async function limitWrite(c, next) {
    const { id } = c.get("user");
    await countWrite(id, c.req.method === "DELETE" ? "deletion" : "review");
    await next();
    if (c.res.status === 429) await giveBack(limiters, id);
  };
}

function createLimiters(db: Kysely<Schema>): RateLimiterPostgres[] {
  return limits.map((limit) => createLimiter(db, limit));
}

async function giveBack(limiters: RateLimiterPostgres[], userId: string): Promise<void> {
  for (const limiter of limiters) await limiter.reward(userId);
}

function createLimiter(db: Kysely<Schema>, { points, duration }: (typeof limits)[number]) {
  return new RateLimiterPostgres({
    storeClient: {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, values));
        return { rows, rowCount: rows.length };
      },
    },
    storeType: "client",
    tableName: "review_limits",
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: String(duration),
    points,
    duration,
  });
}

/** Deletes the counts whose windows ended an hour ago. */
export async function deleteExpiredCounts(db: Kysely<Schema>): Promise<void> {
  await sql`delete from review_limits where expire < extract(epoch from now() - interval '1 hour') * 1000`.execute(
    db,
  );
}

/** Resets a count that is not plausible. */
async function consume(limiter: RateLimiterPostgres, userId: string): Promise<RateLimiterRes> {
  const result = await limiter.consume(userId).catch(asResult);
  if (isPlausible(result, limiter)) return result;
  await limiter.delete(userId);
  return limiter.consume(userId).catch(asResult);
}

/** Whether a count ends when its window allows: it may have begun while a clock was ahead. */
function isPlausible({ msBeforeNext }: RateLimiterRes, { duration }: RateLimiterPostgres): boolean {
  return msBeforeNext <= duration * 1000 + LEEWAY;
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
