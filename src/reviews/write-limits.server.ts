import type { Pool } from "pg";
import { undisturbed } from "../database/in-time.server.ts";
import { HttpError } from "../http/errors.server.ts";

/** How many reviews somebody may write within so many seconds, the shortest time first. */
const limits = [
  { writes: 6, seconds: 60 },
  { writes: 30, seconds: 3_600 },
  { writes: 100, seconds: 86_400 },
];

/** Counts a write of a user's. @throws HttpError 429 `rate_limited`; what a limit refuses does not use up the longer ones */
export type CountWrite = (userId: string) => Promise<void>;

/** How far the clocks of two machines may be apart, in ms. */
const LEEWAY = 60_000;

/** How often counts are removed that ended so long ago, in ms. */
const SWEEP_EVERY = 5 * 60_000;
const KEPT_FOR = 3_600_000;

/** The counts are kept in the database, the same for all instances. Those that have ended are removed as long as the process runs. */
export function createWriteLimits(pool: Pool, now: () => number = Date.now): CountWrite {
  // What fails is tried again soon, and hinders nobody.
  const sweep = () => pool.query("delete from review_limits where expire < $1", [now() - KEPT_FOR]).catch(() => {});
  setInterval(sweep, SWEEP_EVERY).unref();
  return async function countWrite(userId) {
    const { rows } = await undisturbed(() => pool.query<{ wait: string }>({ ...countInOne, values: [userId, now()] }));
    // Whoever presses again and again waits for a minute, not for a day.
    if (rows[0]) throw tooManyReviews(Math.ceil(Number(rows[0].wait) / 1000));
  };
}

function tooManyReviews(wait: number): HttpError {
  return new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", wait);
}

/**
 * Counts the write of the user $1 at $2 (ms since 1970) for one limit after the other, as far as none refuses it. Answers for how many ms
 * the one that does makes one wait.
 */
const countInOne = {
  name: "count-write",
  text: `with ${limits.map(countFor).join(", ")} ${limits.map(waitFor).join(" union all ")}`,
};

/** A count that would last longer than counts last is from a time when a clock was ahead, and begins anew as one that has ended does. */
function countFor({ seconds }: { seconds: number }, index: number): string {
  const before = limits[index - 1];
  const hasEnded = `counted.expire not between $2 + 1 and $2 + ${seconds * 1000 + LEEWAY}`;
  return `within_${seconds} as (
    insert into review_limits as counted (key, points, expire)
    select '${seconds}:' || $1, 1, $2::bigint + ${seconds * 1000}
    ${before ? `from within_${before.seconds} where points <= ${before.writes}` : ""}
    on conflict (key) do update set
      points = case when ${hasEnded} then 1 else counted.points + 1 end,
      expire = case when ${hasEnded} then excluded.expire else counted.expire end
    returning points, expire)`;
}

function waitFor({ writes, seconds }: { writes: number; seconds: number }): string {
  return `select expire - $2 as wait from within_${seconds} where points > ${writes}`;
}
