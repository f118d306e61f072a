import { type Kysely, sql, type Transaction } from "kysely";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { Provider } from "../session.ts";

/** Somebody whom a provider vouches for. */
export interface VerifiedIdentity {
  provider: Provider;
  /** Their id at the provider: it stays when everything else about them changes. */
  subject: string;
  /** Null when the provider tells none. */
  email: string | null;
  /** Whether the provider says that the e-mail is theirs. */
  emailVerified: boolean;
}

/** Nobody is let in without an e-mail that the provider has verified, unless known from before. */
export class UnverifiedEmailError extends Error {
  override name = "UnverifiedEmailError";
}

/** The operator has shut this person out. */
export class BannedUserError extends Error {
  override name = "BannedUserError";
}

/**
 * Runs `work` in the transaction that recognised the identity's user: the one who has that identity; else the one whose
 * verified e-mail equals the identity's verified e-mail, case aside; else a new one. The user's e-mail follows the provider's
 * when that is verified and nobody else's (docs/product.md §6.9, §6.10).
 * @throws UnverifiedEmailError, BannedUserError; nothing is stored then
 */
export function linkIdentity<T>(
  db: Kysely<Schema>,
  identity: VerifiedIdentity,
  work: (trx: Transaction<Schema>, userId: string) => Promise<T>,
): Promise<T> {
  return transactionBefore(db, defaultDeadline(), async (trx) => work(trx, await recognise(trx, identity)));
}

async function recognise(trx: Transaction<Schema>, identity: VerifiedIdentity): Promise<string> {
  const { provider, subject, email, emailVerified } = identity;
  const known = await findByIdentity(trx, identity);
  if (known !== undefined) return welcomeBack(trx, known, identity);
  if (email === null || !emailVerified) throw new UnverifiedEmailError();
  const userId = (await findByVerifiedEmail(trx, email)) ?? (await insertUser(trx, email));
  const stored = { provider, subject, user_id: userId, email, email_verified: true };
  await trx.insertInto("identities").values(stored).execute();
  await sql`update users set last_sign_in_at = now() where id = ${userId}`.execute(trx);
  return userId;
}

/** The user is locked before anything of theirs, as whoever deletes users does. */
async function findByIdentity(trx: Transaction<Schema>, { provider, subject }: VerifiedIdentity) {
  const { rows } = await sql<FoundUser>`
    select users.id, banned_at from users join identities on identities.user_id = users.id
    where provider = ${provider} and subject = ${subject} for update of users`.execute(trx);
  return admit(rows[0]);
}

async function findByVerifiedEmail(trx: Transaction<Schema>, email: string): Promise<string | undefined> {
  const { rows } = await sql<FoundUser>`
    select id, banned_at from users where email_confirmed_at is not null and email_key(email) = email_key(${email}) for update`.execute(
    trx,
  );
  return admit(rows[0]);
}

interface FoundUser {
  id: string;
  banned_at: Date | null;
}

/** @throws BannedUserError */
function admit(user: FoundUser | undefined): string | undefined {
  if (user?.banned_at) throw new BannedUserError();
  return user?.id;
}

async function insertUser(trx: Transaction<Schema>, email: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into users (email, email_confirmed_at) values (${email}, now()) returning id`.execute(trx);
  if (!rows[0]) throw new Error("The user was not stored");
  return rows[0].id;
}

async function welcomeBack(trx: Transaction<Schema>, userId: string, identity: VerifiedIdentity): Promise<string> {
  const { provider, subject, email, emailVerified } = identity;
  await sql`update identities set last_sign_in_at = now(), updated_at = now(),
      email = coalesce(${email}, email), email_verified = ${emailVerified}
    where provider = ${provider} and subject = ${subject}`.execute(trx);
  if (email !== null && emailVerified) await followEmail(trx, userId, email);
  await sql`update users set last_sign_in_at = now(),
      email_confirmed_at = case when ${isVouchedFor} then coalesce(email_confirmed_at, now()) end
    where id = ${userId}`.execute(trx);
  return userId;
}

async function followEmail(trx: Transaction<Schema>, userId: string, email: string): Promise<void> {
  await sql`update users set email = ${email}
    where id = ${userId} and not exists (
      select from users other
      where other.id <> ${userId} and other.email_confirmed_at is not null and email_key(other.email) = email_key(${email})
    )`.execute(trx);
}

/**
 * Whether a provider says today that the user's e-mail is theirs. An e-mail that a provider has taken back, or given to
 * somebody else, must not let that one in here.
 */
const isVouchedFor = sql`exists (
  select from identities
  where identities.user_id = users.id and email_verified and email_key(identities.email) = email_key(users.email))`;
