import { sql } from "kysely";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import type { Provider } from "../../domain/account.ts";
import { lockUsers } from "./lock-users.server.ts";

export interface VerifiedIdentity {
  provider: Provider;
  /** The account's id at the provider, which never changes. */
  subject: string;
  email: string | null;
  emailVerified: boolean;
}

/** A new identity without a verified e-mail (docs/product.md §6.9), or a banned user. */
interface SignInRefusal {
  refused: "provider_email_needs_verification" | "user_banned";
  userId: string | null;
}

/**
 * Finds or creates the user (docs/product.md §6.9, §6.10), then runs `work` in the same transaction. SQL's
 * `inherit_deleted_account` and `inherit_write_counts` give a new identity what its deleted account had (§6.18).
 */
export function linkIdentity(
  db: Db,
  identity: VerifiedIdentity,
  work: (trx: Trx, userId: string) => Promise<void>,
  deadline = defaultDeadline(),
): Promise<{ userId: string } | SignInRefusal> {
  return transactionBefore(db, deadline, async (trx) => {
    const linked = await findOrCreateUser(trx, identity);
    if (!("refused" in linked)) await work(trx, linked.userId);
    return linked;
  });
}

/** Changes nothing if it refuses. */
async function findOrCreateUser(
  trx: Trx,
  identity: VerifiedIdentity,
): Promise<{ userId: string } | SignInRefusal> {
  const { provider, subject, email, emailVerified } = identity;
  const isOwner = sql`id = (select user_id from identities where provider = ${provider} and subject = ${subject})`;
  const [known] = await lockUsers(trx, isOwner);
  if (known?.banned) return { refused: "user_banned", userId: known.id };
  if (known) return updateReturningUser(trx, known.id, identity);
  if (await isBanned(trx, identity)) return { refused: "user_banned", userId: null };
  if (email === null || !emailVerified) return { refused: "provider_email_needs_verification", userId: null };
  const hasConfirmed = sql`email_confirmed_at is not null and email_key(email) = email_key(${email})`;
  const [confirmed] = await lockUsers(trx, hasConfirmed);
  if (confirmed?.banned) return { refused: "user_banned", userId: confirmed.id };
  const joins = confirmed !== undefined && (await canJoin(trx, confirmed.id, provider, email));
  const userId = joins ? confirmed.id : await insertUser(trx, email);
  const newIdentity = { provider, subject, user_id: userId, email, email_verified: true };
  await trx.insertInto("identities").values(newIdentity).execute();
  await sql`update users set last_sign_in_at = now() where id = ${userId}`.execute(trx);
  return { userId };
}

/** A second identity at one provider: the mailbox has a new owner, and the earlier user loses the e-mail. */
async function canJoin(trx: Trx, userId: string, provider: Provider, email: string): Promise<boolean> {
  // A separate statement sees rows that were committed while the previous one waited for the lock.
  const { rows } = await sql`
    select from identities where user_id = ${userId} and provider = ${provider} limit 1`.execute(trx);
  if (rows.length === 0) return true;
  await sql`update identities set email_verified = false
    where user_id = ${userId} and provider = ${provider}
      and email_key(email) = email_key(${email})`.execute(trx);
  await sql`update users set email_confirmed_at = null where id = ${userId}`.execute(trx);
  return false;
}

/** A ban outlives the user's deletion. */
async function isBanned(trx: Trx, { provider, subject, email, emailVerified }: VerifiedIdentity) {
  const { rows } = await sql`
    select from banned_identities
    where hash = any (identity_hashes(${provider}, ${subject}, ${emailVerified ? email : null}))
      and (ends_at is null or ends_at > now())`.execute(trx);
  return rows.length > 0;
}

async function insertUser(trx: Trx, email: string): Promise<string> {
  const user = trx.insertInto("users").values({ email, email_confirmed_at: sql<Date>`now()` });
  return (await user.returning("id").executeTakeFirstOrThrow()).id;
}

async function updateReturningUser(trx: Trx, userId: string, identity: VerifiedIdentity) {
  const { provider, subject, email, emailVerified } = identity;
  await sql`update identities set last_sign_in_at = now(), updated_at = now(),
      email = coalesce(${email}, email), email_verified = ${emailVerified}
    where provider = ${provider} and subject = ${subject}`.execute(trx);
  if (email !== null && emailVerified)
    await sql`update users set email = ${email}
      where id = ${userId} and not ${isConfirmedByAnother(email)}`.execute(trx);
  await sql`update users set last_sign_in_at = now(), email_confirmed_at =
      case when ${isEmailVerified} and not ${isConfirmedByAnother(sql`users.email`)} then coalesce(email_confirmed_at, now()) end
    where id = ${userId}`.execute(trx);
  return { userId };
}

/** SQL, used with `users`: whether another user has confirmed the e-mail. */
function isConfirmedByAnother(email: unknown) {
  return sql`exists (
    select from users other
    where other.id <> users.id and other.email_confirmed_at is not null
      and email_key(other.email) = email_key(${email}))`;
}

/** SQL: an identity verifies the user's e-mail. If none does, its next owner must not join the user. */
const isEmailVerified = sql`exists (
  select from identities
  where identities.user_id = users.id and email_verified and email_key(identities.email) = email_key(users.email))`;
