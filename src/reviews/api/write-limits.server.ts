import type { MiddlewareHandler } from "hono";
import { findAccountAge } from "../../auth/store/read-user.server.ts";
import type { Db } from "../../database/schema.server.ts";
import type { SignedInUser } from "../../domain/account.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import { addWrites } from "../store/review-limits-table.server.ts";

/** In seconds. */
const DAY = 86_400;

/** The most writes of a user within each window (docs/product.md §5.16). */
const limits = [
  { writes: 6, seconds: 60 },
  { writes: 30, seconds: 3_600 },
  { writes: 100, seconds: DAY },
];

const windows = limits.map(({ seconds }) => seconds);

/** The longest window's limit on an account's first day (docs/product.md §5.16). */
const FIRST_DAY_WRITES = 20;

type WriteKind = "review" | "deletion";

/** Use it after `requireUser`. A write that the network's limit refuses does not count. */
export function limitWrites(db: Db): MiddlewareHandler<{ Variables: { user: SignedInUser } }> {
  return async function limitWrite(c, next) {
    const { id } = c.get("user");
    await countWrite(db, id, c.req.method === "DELETE" ? "deletion" : "review");
    await next();
    if (c.res.status === 429) await addWrites(db, id, windows, -1);
  };
}

/** Refused writes do not count: retries would prolong the wait. @throws HttpError 429 with the wait */
export async function countWrite(db: Db, userId: string, kind: WriteKind = "review"): Promise<void> {
  const counts = await addWrites(db, userId, windows, 1);
  const waits = counts.map(({ writes, left }, index) => (writes > (limits[index]?.writes ?? 0) ? left : 0));
  if (kind === "review" && (counts.at(-1)?.writes ?? 0) > FIRST_DAY_WRITES)
    waits.push(DAY - (await findAccountAge(db, userId)));
  const wait = Math.max(...waits);
  if (wait <= 0) return;
  await addWrites(db, userId, windows, -1);
  const retryAfter = Math.max(1, Math.ceil(wait));
  throw new HttpError(429, "rate_limited", "That was a lot of reviews. Please wait a while.", retryAfter);
}
