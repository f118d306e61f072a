import { sql } from "kysely";
import type { Db, Trx } from "./schema.server.ts";
import { notifySecurityEvent } from "./security-log.server.ts";

/** Actions with a security event of their own. */
const hasOwnEvent = new Set(["delete-user", "delete-own-user", "ban-user", "unban-user", "sign-out-user"]);

/** @param details ids, counts and a helper's name, which is not logged; never e-mail addresses or texts */
export async function writeAudit(trx: Trx, action: string, details: Record<string, string | number>) {
  const { helper, ...ids } = details;
  const { id } = await trx
    .insertInto("audit")
    .values({ action, details: JSON.stringify(details) })
    .returning("id")
    .executeTakeFirstOrThrow();
  if (!hasOwnEvent.has(action)) await notifySecurityEvent(trx, { event: "action_audited", action, ...ids });
  return id;
}

/** Without the names of helpers. */
export async function findAudit(trx: Trx, { userId, ids }: { userId: string; ids: readonly string[] }) {
  const { rows } = await sql<object>`
    select at, action, details - 'helper' as details from audit
    where details ->> 'user_id' = ${userId} or id = any (${ids}::bigint[]) order by id`.execute(trx);
  return rows;
}

/** From the last 31 days, the longest life of a backup. */
export async function findDeletions(db: Db) {
  const { rows } = await sql<{ user_id: string; deleted_at: string }>`
    select details ->> 'user_id' as user_id, to_json(at) #>> '{}' as deleted_at from audit
    where action in ('delete-user', 'delete-own-user') and at > now() - interval '31 days'
    order by id`.execute(db);
  return rows;
}

const STRAY_REJECTIONS = "stray-rejections";

/** Errors of the site that nothing handled. Not written by an operator, but for operators (docs/product.md §8.5). */
export function auditStrayRejections(trx: Trx, count: number) {
  return writeAudit(trx, STRAY_REJECTIONS, { count });
}

export async function countStrayRejections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum((details ->> 'count')::int), 0)::float8 as count from audit
    where action = ${STRAY_REJECTIONS} and at > now() - interval '24 hours'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** How long the audit is kept (docs/product.md §13.19). */
const AUDIT_YEARS = 2;

export async function deleteOldAudit(db: Db): Promise<void> {
  await sql`delete from audit where at < now() - make_interval(years => ${AUDIT_YEARS})`.execute(db);
}
