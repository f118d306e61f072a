import { sql } from "kysely";
import type { Logger } from "pino";
import { lockUser } from "../auth/store/lock-users.server.ts";
import {
  banLockedUser,
  deleteLockedUser,
  refuseOwnDeletion,
  rememberLockedUser,
} from "../auth/store/manage-users.server.ts";
import { findDeletions, writeAudit } from "../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../database/schema.server.ts";
import { logSecurityEvent, notifySecurityEvent } from "../database/security-log.server.ts";
import type { SignedInUser } from "../domain/account.ts";
import type { Deadline } from "../lib/bounded-wait.ts";
import { keepReports } from "../moderation/store/reports-table.server.ts";
import { keepWriteCounts } from "../reviews/store/review-limits-table.server.ts";
import { deleteReviewsOf } from "../reviews/store/reviews-of-user.server.ts";

/** The operator deletes a user (docs/product.md §6.16). */
export function deleteUser(db: Db, id: string) {
  return transactionBefore(db, defaultDeadline(), (trx) => deleteUserWithin(trx, id));
}

/** Runs in the caller's transaction. */
export async function deleteUserWithin(trx: Trx, id: string) {
  if (!(await lockUser(trx, id))) return { refused: "user_not_found" } as const;
  return deleteAccount(trx, id, "delete-user");
}

/**
 * Deletes the user of a session (docs/product.md §6.18).
 * @param email what the user has typed
 */
export function deleteOwnUser(db: Db, user: SignedInUser, email: string, deadline: Deadline) {
  return transactionBefore(db, deadline, async (trx) => {
    const refusal = await refuseOwnDeletion(trx, user, email);
    return refusal ?? deleteAccount(trx, user.id, "delete-own-user");
  });
}

/** The schema deletes reports with their author. A trigger updates the tallies in the same transaction. */
async function deleteAccount(trx: Trx, id: string, action: string) {
  const owner = await rememberLockedUser(trx, id);
  await keepReports(trx, id, owner);
  const reviews = await deleteReviewsOf(trx, id, owner);
  await keepWriteCounts(trx, id, owner);
  const deleted = { ...(await deleteLockedUser(trx, id)), reviews };
  await writeAudit(trx, action, { user_id: id, ...deleted });
  await sql`notify ${sql.id(DELETION_CHANNEL)}`.execute(trx);
  return deleted;
}

export const DELETION_CHANNEL = "account_deleted";

/**
 * Logs each deletion once, also those made while the site was stopped. After a restore the operator repeats
 * the logged deletions (docs/operations/incidents.md).
 */
export function createDeletionLog(db: Db, log: Logger): () => Promise<void> {
  let logged = new Set<string>();
  return async function logDeletions() {
    const deletions = await findDeletions(db);
    for (const deletion of deletions)
      if (!logged.has(deletion.user_id)) logSecurityEvent(log, { event: "account_deleted", ...deletion });
    logged = new Set(deletions.map(({ user_id }) => user_id));
  };
}

/** Bans a user (docs/product.md §6.16). `removeReviews` also deletes reviews. */
export function banUser(db: Db, id: string, { removeReviews }: { removeReviews: boolean }) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return { refused: "user_not_found" } as const;
    const removed = {
      ...(await banLockedUser(trx, id)),
      reviews: removeReviews ? await deleteReviewsOf(trx, id) : 0,
    };
    await writeAudit(trx, "ban-user", { user_id: id, ...removed });
    await notifySecurityEvent(trx, { event: "account_banned", user_id: id });
    return { wasBanned: user.banned, ...removed };
  });
}
