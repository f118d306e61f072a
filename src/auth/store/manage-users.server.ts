import { sql } from "kysely";
import { z } from "zod";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import { notifySecurityEvent } from "../../database/security-log.server.ts";
import { MAX_AUTHENTICATION_AGE, REAUTHENTICATION_SECONDS, type SignedInUser } from "../../domain/account.ts";
import { lockUser } from "./lock-users.server.ts";
import { signOutLockedUser } from "./sessions-table.server.ts";

export interface UserSummary {
  id: string;
  email: string;
}

/** Several users can share an unverified e-mail. */
export function findUsers(db: Db, emailOrId: string): Promise<UserSummary[]> {
  const users = db.selectFrom("users").select(["id", "email"]).orderBy("created_at");
  const matching = z.guid().safeParse(emailOrId).success
    ? users.where("id", "=", emailOrId)
    : users.where(sql`email_key(email)`, "=", sql`email_key(${emailOrId})`);
  return matching.execute();
}

type DeletionRefusal = { refused: "session_ended" | "reauthentication_needed" | "wrong_email" };

/** Locks the user of a session; null if the session may delete the user. @param email as the user typed it */
export async function refuseOwnDeletion(
  trx: Trx,
  { id, sessionId }: SignedInUser,
  email: string,
): Promise<DeletionRefusal | null> {
  const user = await lockUser(trx, id);
  const { rows } = await sql<{ recent: boolean; same: boolean }>`
    select sessions.created_at > clock_timestamp() - make_interval(secs => ${REAUTHENTICATION_SECONDS})
        and (sessions.provider <> 'google' or exists (
          select from sign_ins where session_id = sessions.id
            and authenticated_at > clock_timestamp() - make_interval(secs => ${MAX_AUTHENTICATION_AGE}))) as recent,
      email_key(users.email) = email_key(${email}) as same
    from sessions join users on users.id = user_id
    where sessions.id = ${sessionId} and user_id = ${id}`.execute(trx);
  const [session] = rows;
  if (!session || user?.banned) return { refused: "session_ended" };
  if (!session.recent) return { refused: "reauthentication_needed" };
  return session.same ? null : { refused: "wrong_email" };
}

/** SQL, used with `identities`: the keyed hashes by which the site recognises them, and their verified e-mails. */
const hashes = sql`identity_hashes(provider, subject, case when email_verified then email end)`;

/** Keeps what applies again if the user comes back (docs/product.md §6.18). Returns the id that replaces the user's. */
export async function rememberLockedUser(trx: Trx, id: string): Promise<string> {
  const accountId = crypto.randomUUID();
  await sql`
    insert into deleted_accounts (hash, id, quarantined_at, dismissed_reports)
    select hash, ${accountId}, quarantined_at, dismissed_reports from users, (
      select unnest(${hashes}) as hash from identities where user_id = ${id}
      union select hash from deleted_accounts where heir = ${id}
    ) as known where users.id = ${id}
    on conflict (hash) do update set id = excluded.id, quarantined_at = excluded.quarantined_at,
      dismissed_reports = excluded.dismissed_reports, deleted_at = now(), heir = null`.execute(trx);
  return accountId;
}

/** Remembered accounts are kept as long as deleted reviews. */
export async function forgetDeletedAccounts(db: Db): Promise<void> {
  await sql`delete from deleted_accounts where deleted_at < now() - interval '30 days'`.execute(db);
  await sql`delete from banned_identities where ends_at < now()`.execute(db);
}

/** Also deletes identities, sessions and sign-in attempts. A ban stays, as hashes of identities and e-mails. */
export async function deleteLockedUser(trx: Trx, id: string) {
  await sql`insert into banned_identities (hash, banned_at, ends_at)
    select distinct on (hash) hash, banned_at, case when number = 2 then now() + interval '30 days' end
    from (select user_id, hashes.* from identities, unnest(${hashes}) with ordinality as hashes (hash, number)) as known
    join users on users.id = user_id
    where user_id = ${id} and banned_at is not null
    on conflict (hash) do update set ends_at = excluded.ends_at`.execute(trx);
  const deletion = trx.deleteFrom("identities").where("user_id", "=", id);
  const identities = Number((await deletion.executeTakeFirstOrThrow()).numDeletedRows);
  const { sessions } = await signOutLockedUser(trx, id);
  await trx.deleteFrom("users").where("id", "=", id).execute();
  return { identities, sessions };
}

/** Ends sessions and sign-in attempts, and prevents new ones (docs/product.md §6.16). */
export async function banLockedUser(trx: Trx, id: string) {
  await sql`update users set banned_at = now() where id = ${id} and banned_at is null`.execute(trx);
  return signOutLockedUser(trx, id);
}

export function signOutUser(db: Db, id: string) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    if (!(await lockUser(trx, id))) return { refused: "user_not_found" } as const;
    const ended = await signOutLockedUser(trx, id);
    await writeAudit(trx, "sign-out-user", { user_id: id, ...ended });
    await notifySecurityEvent(trx, { event: "session_ended", user_id: id, reason: "operator" });
    return ended;
  });
}

export async function unbanLockedUser(trx: Trx, id: string): Promise<void> {
  await trx.updateTable("users").set({ banned_at: null }).where("id", "=", id).execute();
}

export function unbanUser(db: Db, id: string): Promise<{ refused: "user_not_found" | "not_banned" } | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return { refused: "user_not_found" };
    if (!user.banned) return { refused: "not_banned" };
    await unbanLockedUser(trx, id);
    await writeAudit(trx, "unban-user", { user_id: id });
    await notifySecurityEvent(trx, { event: "account_unbanned", user_id: id });
    return null;
  });
}
