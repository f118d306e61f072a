import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/**
 * How long a key is published before it signs, in ms: an instance looks for new keys every 10 min and may once fail to, and
 * others keep the published ones for 10 min (the auth protocol: 20 min at least). The very first key signs at once.
 */
const PUBLISHED_AHEAD = 30 * 60_000;

/** How often a key that nobody knows may make an instance look for new ones, in ms. */
const LOOK_AGAIN_AFTER = 10_000;

type Key = Awaited<ReturnType<typeof importJWK>>;

interface SigningKey {
  kid: string;
  createdAt: Date;
  privateKey: Key;
  publicKey: Key;
  publicJwk: JWK;
}

/** The keys that sign access tokens: they live in the database, the same for all instances. */
export interface SigningKeys {
  signer(): Promise<{ kid: string; key: Key }>;
  /** The public key of that name; null when there is none, also after looking into the database again. */
  find(kid: string): Promise<Key | null>;
  /** The public keys, as a JSON Web Key Set. */
  published(): Promise<{ keys: JWK[] }>;
  /** Makes and drops keys as their age asks for, and reads them again. */
  rotate(): Promise<void>;
}

/** The database is asked for them when they are needed first. */
export function createSigningKeys(db: Kysely<Schema>, now: () => number = Date.now): SigningKeys {
  let known: Promise<SigningKey[]> | undefined;
  let lookedAt = 0;

  function load(): Promise<SigningKey[]> {
    lookedAt = now();
    const loading = rotateKeys(db).then(() => readKeys(db));
    known ??= loading;
    loading.then(
      () => {
        known = loading;
      },
      () => {
        if (known === loading) known = undefined;
      },
    );
    return loading;
  }
  const keys = () => known ?? load();

  return {
    async signer() {
      const sorted = await keys();
      const ripe = sorted.findLast(({ createdAt }) => createdAt.getTime() + PUBLISHED_AHEAD <= now());
      const signer = ripe ?? sorted[0];
      if (!signer) throw new Error("There is no key to sign with");
      return { kid: signer.kid, key: signer.privateKey };
    },
    async find(kid) {
      const named = (key: SigningKey) => key.kid === kid;
      const found = (await keys()).find(named);
      if (found) return found.publicKey;
      // A clock that was set back does not say that this was just now.
      if (Math.abs(now() - lookedAt) < LOOK_AGAIN_AFTER) return null;
      return (await load()).find(named)?.publicKey ?? null;
    },
    published: async () => ({ keys: (await keys()).map(({ publicJwk }) => publicJwk) }),
    rotate: async () => void (await load()),
  };
}

/** Makes a key where the newest is a month old; drops those in whose place a successor has signed for a day. */
async function rotateKeys(db: Kysely<Schema>): Promise<void> {
  await sql`delete from signing_keys old where exists (
    select from signing_keys newer
    where newer.created_at > old.created_at and newer.created_at < now() - interval '1 day 30 minutes')`.execute(db);
  const { rows } = await sql<{ fresh: boolean }>`
    select exists (select from signing_keys where created_at > now() - interval '30 days') as fresh`.execute(db);
  if (rows[0]?.fresh) return;
  const key = await inventKey();
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('front-row signing keys'))`.execute(trx);
    await sql`insert into signing_keys (kid, private_key)
      select ${key.kid}, ${JSON.stringify(key.jwk)}::jsonb
      where not exists (select from signing_keys where created_at > now() - interval '30 days')`.execute(trx);
  });
}

async function inventKey(): Promise<{ kid: string; jwk: JWK }> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { kid: await calculateJwkThumbprint(jwk), jwk };
}

/** All keys, oldest first. */
async function readKeys(db: Kysely<Schema>): Promise<SigningKey[]> {
  const rows = await db.selectFrom("signing_keys").selectAll().orderBy("created_at").orderBy("kid").execute();
  return Promise.all(rows.map(({ kid, created_at, private_key }) => readKey(kid, created_at, private_key)));
}

async function readKey(kid: string, createdAt: Date, jwk: JWK): Promise<SigningKey> {
  const { kty, crv, x, y } = jwk;
  const publicJwk = { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
  const [privateKey, publicKey] = await Promise.all([importJWK(jwk, "ES256"), importJWK(publicJwk, "ES256")]);
  return { kid, createdAt, privateKey, publicKey, publicJwk };
}
