import { type Kysely, sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";

/** What putting somebody in quarantine, or releasing them, did. */
export interface QuarantineResult {
  /** False if they were in that state already: then nothing changed. */
  changed: boolean;
  /** How many reviews no longer count, or count again. */
  reviews: number;
}

/**
 * Puts a user's reviews in quarantine, or takes them out: triggers correct tallies, order and notes on every
 * instance, and keep later reviews of the user in the same state (docs/product.md §13.31). Returns null if
 * there is no such user.
 */
export function setQuarantine(
  db: Kysely<Schema>,
  id: string,
  quarantined: boolean,
): Promise<QuarantineResult | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return null;
    if (user.quarantined === quarantined) return { changed: false, reviews: 0 };
    await trx
      .updateTable("users")
      .set({ quarantined_at: quarantined ? sql<Date>`now()` : null })
      .where("id", "=", id)
      .execute();
    const { numUpdatedRows } = await trx
      .updateTable("reviews")
      .set({ counted: !quarantined })
      .where("user_id", "=", id)
      .executeTakeFirstOrThrow();
    const reviews = Number(numUpdatedRows);
    await writeAudit(trx, quarantined ? "quarantine" : "unquarantine", { user_id: id, reviews });
    return { changed: true, reviews };
  });
}

/** The users in quarantine, longest first. */
export async function findQuarantined(
  db: Kysely<Schema>,
): Promise<{ id: string; email: string; quarantined_at: Date }[]> {
  const { rows } = await sql<{ id: string; email: string; quarantined_at: Date }>`
    select id, email, quarantined_at from users where quarantined_at is not null order by quarantined_at`.execute(
    db,
  );
  return rows;
}
