import { type Kysely, sql, type Transaction } from "kysely";
import pg from "pg";
import type { Schema } from "../database/schema.server.ts";
import type { Provider } from "./session.ts";

/** Somebody whom a provider vouches for. */
export interface ProvenIdentity {
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

/** How often to start again when somebody else signed in as the same person at the same moment. */
const ATTEMPTS = 3;

/**
 * Runs `work` in the transaction that recognised the identity's user: the one who has that identity; else the one whose
 * verified e-mail equals the identity's verified e-mail, case aside; else a new one. The user's e-mail follows the provider's
 * when that is verified and nobody else's (decisions, "Accounts").
 * @throws UnverifiedEmailError; nothing is stored then
 */
export async function recogniseUser<T>(
  db: Kysely<Schema>,
  identity: ProvenIdentity,
  work: (trx: Transaction<Schema>, userId: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => work(trx, await recognise(trx, identity)));
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505";
}

async function recognise(trx: Transaction<Schema>, identity: ProvenIdentity): Promise<string> {
  const { provider, subject, emailVerified } = identity;
  const known = await trx
    .selectFrom("identities")
    .select("user_id")
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .executeTakeFirst();
  if (known) return welcomeBack(trx, known.user_id, identity);
  if (identity.email === null || !emailVerified) throw new UnverifiedEmailError();
  const email = identity.email;
  const userId = (await findByVerifiedEmail(trx, email)) ?? (await insertUser(trx, email));
  await trx
    .insertInto("identities")
    .values({ provider, subject, user_id: userId, email, email_verified: true })
    .execute();
  await sql`update users set last_sign_in_at = now() where id = ${userId}`.execute(trx);
  return userId;
}

async function findByVerifiedEmail(trx: Transaction<Schema>, email: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from users where email_confirmed_at is not null and lower(email) = lower(${email}) for update`.execute(
    trx,
  );
  return rows[0]?.id;
}

async function insertUser(trx: Transaction<Schema>, email: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into users (email, email_confirmed_at) values (${email}, now()) returning id`.execute(trx);
  if (!rows[0]) throw new Error("The user was not stored");
  return rows[0].id;
}

async function welcomeBack(trx: Transaction<Schema>, userId: string, identity: ProvenIdentity): Promise<string> {
  const { provider, subject, email, emailVerified } = identity;
  await sql`update identities set last_sign_in_at = now(), updated_at = now(),
      email = coalesce(${email}, email), email_verified = ${emailVerified}
    where provider = ${provider} and subject = ${subject}`.execute(trx);
  await sql`update users set last_sign_in_at = now() where id = ${userId}`.execute(trx);
  if (email !== null && emailVerified) {
    await sql`update users set email = ${email}, email_confirmed_at = coalesce(email_confirmed_at, now())
      where id = ${userId} and not exists (
        select from users other
        where other.id <> ${userId} and other.email_confirmed_at is not null and lower(other.email) = lower(${email})
      )`.execute(trx);
  }
  return userId;
}
