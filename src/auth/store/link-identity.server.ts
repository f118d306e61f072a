import { type RawBuilder, sql } from "kysely";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Trx } from "../../database/schema.server.ts";
import type { Provider } from "../session.ts";
import { lockUsers } from "./lock-users.server.ts";

export interface VerifiedIdentity {
  provider: Provider;
  /** The account's id at the provider, which never changes. */
  subject: string;
  email: string | null;
  emailVerified: boolean;
}

/** A new identity without a verified e-mail (docs/product.md §6.9), or a banned user, for example. */
export class SignInRefusedError extends Error {
  override name = "SignInRefusedError";
  readonly code: "provider_email_needs_verification" | "user_banned" | "reauthentication_needed";
  readonly userId: string | null;

  constructor(code: SignInRefusedError["code"], userId: string | null = null) {
    super(code);
    this.code = code;
    this.userId = userId;
  }
}

/**
 * Finds or creates the user (docs/product.md §6.9, §6.10), then runs `work` in the same transaction. SQL's
 * `inherit_deleted_account` and `inherit_write_counts` give a new identity what its deleted account had (§6.18).
 * @throws SignInRefusedError; the transaction is rolled back
 */
export function linkIdentity<T>(
  db: Db,
  identity: VerifiedIdentity,
  work: (trx: Trx, userId: string) => Promise<T>,
): Promise<T> {
  return transactionBefore(db, defaultDeadline(), async (trx) =>
    work(trx, await findOrCreateUser(trx, identity)),
  );
}

async function findOrCreateUser(trx: Trx, identity: VerifiedIdentity): Promise<string> {
  const { provider, subject, email, emailVerified } = identity;
  const isOwner = sql`id = (select user_id from identities where provider = ${provider} and subject = ${subject})`;
  const knownUserId = await lockUnbanned(trx, isOwner);
  if (knownUserId !== undefined) return updateReturningUser(trx, knownUserId, identity);
  await refuseBanned(trx, identity);
  if (email === null || !emailVerified) throw new SignInRefusedError("provider_email_needs_verification");
  const userId = (await findUserToJoin(trx, provider, email)) ?? (await insertUser(trx, email));
  const newIdentity = { provider, subject, user_id: userId, email, email_verified: true };
  await trx.insertInto("identities").values(newIdentity).execute();
  await sql`update users set last_sign_in_at = now() where id = ${userId}`.execute(trx);
  return userId;
}

async function lockUnbanned(trx: Trx, condition: RawBuilder<unknown>): Promise<string | undefined> {
  const [user] = await lockUsers(trx, condition);
  if (user?.banned) throw new SignInRefusedError("user_banned", user.id);
  return user?.id;
}

/** A second identity at one provider: the mailbox has a new owner, and the earlier user loses the e-mail. */
async function findUserToJoin(trx: Trx, provider: Provider, email: string): Promise<string | undefined> {
  const hasConfirmed = sql`email_confirmed_at is not null and email_key(email) = email_key(${email})`;
  const userId = await lockUnbanned(trx, hasConfirmed);
  if (userId === undefined) return undefined;
  // A separate statement sees rows that were committed while the previous one waited for the lock.
  const { rows } = await sql`
    select from identities where user_id = ${userId} and provider = ${provider} limit 1`.execute(trx);
  if (rows.length === 0) return userId;
  await sql`update identities set email_verified = false
    where user_id = ${userId} and provider = ${provider}
      and email_key(email) = email_key(${email})`.execute(trx);
  await sql`update users set email_confirmed_at = null where id = ${userId}`.execute(trx);
  return undefined;
}

/** A ban outlives the user's deletion. @throws SignInRefusedError */
async function refuseBanned(trx: Trx, { provider, subject, email, emailVerified }: VerifiedIdentity) {
  const { rows } = await sql`
    select from banned_identities
    where hash = any (identity_hashes(${provider}, ${subject}, ${emailVerified ? email : null}))
      and (ends_at is null or ends_at > now())`.execute(trx);
  if (rows.length > 0) throw new SignInRefusedError("user_banned");
}

async function insertUser(trx: Trx, email: string): Promise<string> {
  const user = trx.insertInto("users").values({ email, email_confirmed_at: sql<Date>`now()` });
  return (await user.returning("id").executeTakeFirstOrThrow()).id;
}

async function updateReturningUser(trx: Trx, userId: string, identity: VerifiedIdentity): Promise<string> {
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
  return userId;
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
