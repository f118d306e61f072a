import { hash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";

const REPORT_LINK_DAYS = 2;

/** In days: an ended link is stored so that its page can say so. */
const ENDED_DAYS = 30;

export interface QueueLink {
  number: number;
  /** The helper's name; null for the link in a message, which shows one report. */
  name: string | null;
  reportId: string | null;
  hasEnded: boolean;
}

/** When a link ends. For queries of `queue_links`. */
const end = sql<Date>`least(revoked_at, expires_at)`;

const hashOf = (token: string) => hash("sha256", token, "buffer");

/** A link to the queue for a helper, or to one report. Only the path has the token: the hash is stored. */
export async function insertLink(
  db: Db,
  { days = REPORT_LINK_DAYS, ...of }: { name: string; days: number } | { report_id: string; days?: number },
) {
  const token = randomBytes(32).toString("base64url");
  const { number, expires_at } = await db
    .insertInto("queue_links")
    .values({ ...of, token_hash: hashOf(token), expires_at: sql`now() + make_interval(days => ${days})` })
    .returning(["number", "expires_at"])
    .executeTakeFirstOrThrow();
  return { number, path: `/api/moderation/${token}`, expires_at };
}

export function createHelperLink(db: Db, helper: { name: string; days: number }) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const link = await insertLink(trx, helper);
    await writeAudit(trx, "queue-link", { link: link.number, helper: helper.name, days: helper.days });
    return link;
  });
}

/** Null if the link never existed or has ended. */
export async function findLink(db: Db, token: string): Promise<QueueLink | null> {
  const { rows } = await sql<QueueLink>`
    select number, name, report_id as "reportId", ${end} <= now() as "hasEnded"
    from queue_links where token_hash = ${hashOf(token)}`.execute(db);
  return rows[0] ?? null;
}

/** Links of helpers, and links in messages that still work. */
export async function findLinks(db: Db) {
  const { rows } = await sql<QueueLink & { end: Date; decisions: number }>`
    select number, name, report_id as "reportId", ${end} as end, ${end} <= now() as "hasEnded",
      (select count(*)::integer from decisions where link = number) as decisions
    from queue_links where name is not null or ${end} > now() order by number`.execute(db);
  return rows;
}

export function revokeLink(db: Db, number: number): Promise<{ refused: "no_such_link" } | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql<{ name: string | null }>`
      update queue_links set revoked_at = now() where number = ${number} and ${end} > now()
      returning name`.execute(trx);
    for (const { name } of rows)
      await writeAudit(trx, "revoke-queue-link", { link: number, ...(name && { helper: name }) });
    return rows.length > 0 ? null : { refused: "no_such_link" };
  });
}

export async function forgetEndedLinks(db: Db): Promise<void> {
  await sql`delete from queue_links where ${end} < now() - make_interval(days => ${ENDED_DAYS})`.execute(db);
}
