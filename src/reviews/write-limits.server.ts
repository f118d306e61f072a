import type { Pool } from "pg";
import type { FindSignedIn, SignedInUser } from "../auth/session.ts";
import { askAnyTogether } from "../database/batch.server.ts";
import { undisturbed } from "../database/in-time.server.ts";
import { HttpError } from "../http/errors.server.ts";

/** How many reviews somebody may write within so many seconds, the shortest time first. */
const limits = [
  { writes: 6, seconds: 60 },
  { writes: 30, seconds: 3_600 },
  { writes: 100, seconds: 86_400 },
];

/** How far the clocks of two machines may be apart, in ms. */
const LEEWAY = 60_000;

/** How often counts are removed that ended so long ago, in ms. */
const SWEEP_EVERY = 5 * 60_000;
const KEPT_FOR = 3_600_000;

interface WriteLimitsOptions {
  pool: Pool;
  /** Selects the user $1 if the session $2 is theirs and not over, as a `SignedInUser`. */
  selectSignedIn: string;
  now?: () => number;
}

/**
 * Finds who is signed in, and counts a write of theirs in the same statement: a round trip takes as much of the processors as either. The
 * counts are kept in the database, the same for all instances. Those that have ended are removed as long as the process runs.
 * @throws HttpError 429 `rate_limited`; what a limit refuses does not use up the longer ones
 */
export function createWriteLimits({ pool, selectSignedIn, now = Date.now }: WriteLimitsOptions): FindSignedIn {
  const counting = { name: "count-write-of-signed-in", text: countWriteOf(selectSignedIn) };
  // What fails is tried again soon, and hinders nobody.
  const sweep = () => pool.query("delete from review_limits where expire < $1", [now() - KEPT_FOR]).catch(() => {});
  setInterval(sweep, SWEEP_EVERY).unref();
  return async function countWrite({ userId, sessionId }) {
    const values = [userId, sessionId, String(now())];
    const [counted] = await undisturbed(() => askAnyTogether(pool, [{ statement: counting, values }]));
    if (!counted) return null;
    const { wait, ...user }: Counted = JSON.parse(counted);
    // Whoever presses again and again waits for a minute, not for a day.
    if (wait !== null) throw tooManyReviews(Math.ceil(wait / 1000));
    return user;
  };
}

function tooManyReviews(wait: number): HttpError {
  return new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", wait);
}

/** @prop wait for how many ms the limit makes one wait that refuses the write */
type Counted = SignedInUser & { wait: number | null };

/**
 * Counts a write of whoever is signed in at $3 (ms since 1970) for one limit after the other, as far as none refuses it. Prepared: it comes
 * with every review.
 */
function countWriteOf(selectSignedIn: string): string {
  return `with signed_in as (${selectSignedIn}), ${limits.map(countFor).join(", ")}
    select row_to_json(counted) from (
      select signed_in.*, wait from signed_in left join (${limits.map(waitFor).join(" union all ")}) as refusal on true
    ) as counted`;
}

/** A count that would last longer than counts last is from a time when a clock was ahead, and begins anew as one that has ended does. */
function countFor({ seconds }: { seconds: number }, index: number): string {
  const before = limits[index - 1];
  const hasEnded = `counted.expire not between $3 + 1 and $3 + ${seconds * 1000 + LEEWAY}`;
  return `within_${seconds} as (
    insert into review_limits as counted (key, points, expire)
    select '${seconds}:' || id, 1, $3::bigint + ${seconds * 1000} 
    from signed_in${before ? `, within_${before.seconds} where points <= ${before.writes}` : ""}
    on conflict (key) do update set
      points = case when ${hasEnded} then 1 else counted.points + 1 end,
      expire = case when ${hasEnded} then excluded.expire else counted.expire end
    returning points, expire)`;
}

function waitFor({ writes, seconds }: { writes: number; seconds: number }): string {
  return `select expire - $3 as wait from within_${seconds} where points > ${writes}`;
}
