import { hkdfSync } from "node:crypto";
import { calculateJwkThumbprint, errors, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { sql } from "kysely";
import type { Db } from "../../database/schema.server.ts";

const RELOAD_INTERVAL_MS = 10 * 60_000;

/** Instances reload every 10 minutes, one reload may fail, and clients cache for 10 more. */
const PUBLISHED_AHEAD_MS = 30 * 60_000;

/** Bounds the queries that forged tokens cause. */
const RELOAD_COOLDOWN_MS = 10_000;

type Key = Awaited<ReturnType<typeof importJWK>>;

interface SigningKey {
  kid: string;
  createdAt: Date;
  privateKey: Key;
  publicKey: Key;
  publicJwk: JWK;
  stateKey: Uint8Array;
}

export interface SigningKeys {
  /** The newest key that has been published long enough, else the oldest. */
  signer(): Promise<Pick<SigningKey, "kid" | "privateKey" | "stateKey">>;
  /** Reloads the keys if the id is unknown. Null if there is none. */
  find(kid: string): Promise<Pick<SigningKey, "publicKey" | "stateKey"> | null>;
  published(): Promise<{ keys: JWK[] }>;
  /** Loads now. Each load creates and deletes keys when it is time. */
  rotate(): Promise<void>;
}

/** Loads at first use (single flight), then caches. */
export function createSigningKeys(db: Db, now: () => number = Date.now): SigningKeys {
  let known: SigningKey[] = [];
  let loading: Promise<SigningKey[]> | undefined;
  let loadedAt = 0;

  async function load(): Promise<SigningKey[]> {
    loadedAt = now();
    loading ??= rotateKeys(db).finally(() => {
      loading = undefined;
    });
    known = await loading;
    return known;
  }

  /** The absolute value: a clock that was set back must not block reloads. */
  const isLoadedWithin = (ms: number) => Math.abs(now() - loadedAt) < ms;

  /** Returns old keys at once, and reloads them for the next caller. */
  async function keys(): Promise<SigningKey[]> {
    if (known.length === 0) return load();
    if (!isLoadedWithin(RELOAD_INTERVAL_MS)) load().catch(() => {});
    return known;
  }

  return {
    async signer() {
      const sorted = await keys();
      const eligible = sorted.findLast(({ createdAt }) => createdAt.getTime() + PUBLISHED_AHEAD_MS <= now());
      const signer = eligible ?? sorted[0];
      if (!signer) throw new Error("There is no signing key");
      return signer;
    },
    async find(kid) {
      const hasKid = (key: SigningKey) => key.kid === kid;
      const found = (await keys()).find(hasKid);
      if (found || isLoadedWithin(RELOAD_COOLDOWN_MS)) return found ?? null;
      return (await load()).find(hasKid) ?? null;
    },
    published: async () => ({ keys: (await keys()).map(({ publicJwk }) => publicJwk) }),
    rotate: async () => void (await load()),
  };
}

/** @throws JWKSNoMatchingKey, a JOSEError, if there is none */
export async function requireKey(keys: SigningKeys, kid: string | undefined) {
  const key = kid && (await keys.find(kid));
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}

/** Creates a key if the newest is 30 days old. Deletes keys whose successor has been signing for two days. */
async function rotateKeys(db: Db): Promise<SigningKey[]> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const transaction = db.transaction().setIsolationLevel("read committed");
  const rows = await transaction.execute(async (trx) => {
    // Instances that start together share one new key.
    await sql`select pg_advisory_xact_lock(hashtext('front-row signing keys'))`.execute(trx);
    await sql`delete from signing_keys old where exists (
      select from signing_keys newer
      where newer.created_at > old.created_at
        and newer.created_at < now() - interval '2 days 30 minutes')`.execute(trx);
    await sql`insert into signing_keys (kid, private_key)
      select ${kid}, ${JSON.stringify(jwk)}::jsonb
      where not exists (select from signing_keys where created_at > now() - interval '30 days')`.execute(trx);
    return trx.selectFrom("signing_keys").selectAll().orderBy("created_at").orderBy("kid").execute();
  });
  return Promise.all(rows.map((row) => readKey(row.kid, row.created_at, row.private_key)));
}

async function readKey(kid: string, createdAt: Date, jwk: JWK): Promise<SigningKey> {
  const { kty, crv, x, y, d } = jwk;
  if (!d) throw new Error("A stored signing key has no private part");
  const publicJwk = { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
  const [privateKey, publicKey] = await Promise.all([importJWK(jwk, "ES256"), importJWK(publicJwk, "ES256")]);
  const stateKey = new Uint8Array(hkdfSync("sha256", d, "", "Front Row: state of sign-ins", 32));
  return { kid, createdAt, privateKey, publicKey, publicJwk, stateKey };
}
