import { jwtVerify } from "jose";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { accountCleanup } from "../../src/auth/store/cleanup.server.ts";
import { createAccessTokens } from "../../src/auth/tokens/access-token.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createTestDatabase } from "../support/postgres.ts";

const DAY = 24 * 60 * 60_000;

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await sql`truncate signing_keys, users, sign_ins cascade`.execute(database.db);
});

/** The kids of the keys in the database, oldest first. */
async function storedKids(): Promise<string[]> {
  const rows = await database.db.selectFrom("signing_keys").select("kid").orderBy("created_at").execute();
  return rows.map(({ kid }) => kid);
}

async function makeOlder(kid: string | undefined, ms: number): Promise<void> {
  await sql`update signing_keys set created_at = created_at - make_interval(secs => ${ms / 1000}) where kid = ${kid}`.execute(
    database.db,
  );
}

async function publishedKids(keys: ReturnType<typeof createSigningKeys>) {
  return (await keys.published()).keys.map(({ kid }) => kid);
}

describe("signing keys", () => {
  test("instances that start together on an empty database share one key, which signs at once", async () => {
    const instances = Array.from({ length: 5 }, () => createSigningKeys(database.db));
    const signers = await Promise.all(instances.map((keys) => keys.signer()));
    expect(new Set(signers.map(({ kid }) => kid)).size).toBe(1);
    expect(await storedKids()).toHaveLength(1);
  });

  test("a key gets a successor after 30 days, which is published for 30 minutes before it signs", async () => {
    let now = Date.now();
    const keys = createSigningKeys(database.db, () => now);
    const { kid: first } = await keys.signer();
    await makeOlder(first, 29 * DAY);
    await keys.rotate();
    expect(await publishedKids(keys)).toEqual([first]);
    await makeOlder(first, 2 * DAY);
    await keys.rotate();
    const [, second] = await storedKids();
    expect(await publishedKids(keys)).toEqual([first, second]);
    expect((await keys.signer()).kid).toBe(first);
    now += 29 * 60_000;
    expect((await keys.signer()).kid).toBe(first);
    now += 2 * 60_000;
    expect((await keys.signer()).kid).toBe(second);
    const restarted = createSigningKeys(database.db, () => now);
    expect((await restarted.signer()).kid).toBe(second);
  });

  test("a key is deleted once its successor has signed for two days", async () => {
    const keys = createSigningKeys(database.db);
    await keys.rotate();
    const [first] = await storedKids();
    await makeOlder(first, 31 * DAY);
    await keys.rotate();
    const [, second] = await storedKids();
    await makeOlder(second, 2 * DAY);
    await keys.rotate();
    expect(await storedKids()).toEqual([first, second]);
    await makeOlder(second, 31 * 60_000);
    await keys.rotate();
    expect(await storedKids()).toEqual([second]);
    expect(await keys.find(first ?? "")).toBeNull();
  });

  test("a token signed with another instance's new key is accepted", async () => {
    let now = Date.now();
    const [instanceA, instanceB] = [1, 2].map(() => createSigningKeys(database.db, () => now));
    if (!instanceA || !instanceB) expect.fail();
    await instanceA.signer();
    const [first] = await storedKids();
    await makeOlder(first, 31 * DAY);
    await instanceB.rotate();
    now += 31 * 60_000;
    const { kid, privateKey: key } = await instanceB.signer();
    expect(kid).not.toBe(first);
    const tokensOfB = createAccessTokens(instanceB, "https://front-row.example/auth/v1", () => now);
    const [id, sessionId] = [crypto.randomUUID(), crypto.randomUUID()];
    const subject = {
      id,
      sessionId,
      email: "a@b.example",
      provider: "google",
      app_metadata: {},
      user_metadata: {},
    } as const;
    const { token } = await (await tokensOfB.issuer())({ ...subject, signedInAt: new Date(now) });
    expect(key).toBeDefined();
    const found = await instanceA.find(kid);
    await jwtVerify(token, found?.publicKey ?? expect.fail(), { currentDate: new Date(now) });
    const tokensOfA = createAccessTokens(instanceA, "https://front-row.example/auth/v1", () => now);
    expect(await tokensOfA.verify(token)).toEqual({ userId: id, sessionId });
  });

  test("an instance finds a new key after its clock was set back", async () => {
    let now = Date.now();
    const instanceA = createSigningKeys(database.db, () => now);
    await instanceA.rotate();
    const [first] = await storedKids();
    await makeOlder(first, 31 * DAY);
    await createSigningKeys(database.db).rotate();
    const [, second = ""] = await storedKids();
    expect(await instanceA.find(second)).toBeNull();
    now -= 60 * 60_000;
    expect(await instanceA.find(second)).not.toBeNull();
  });

  test("an instance in use creates and finds new keys within ten minutes, and one failure changes nothing", async () => {
    let now = Date.now();
    const keys = createSigningKeys(database.db, () => now);
    const { kid: first } = await keys.signer();
    await makeOlder(first, 31 * DAY);
    now += 9 * 60_000;
    expect(await publishedKids(keys)).toEqual([first]);
    await sql`alter table signing_keys rename to lost_keys`.execute(database.db);
    now += 2 * 60_000;
    expect(await publishedKids(keys)).toEqual([first]);
    await sql`alter table lost_keys rename to signing_keys`.execute(database.db);
    now += 11 * 60_000;
    await vi.waitUntil(async () => (await publishedKids(keys)).length === 2);
    expect(await storedKids()).toEqual(await publishedKids(keys));
    expect((await keys.signer()).kid).toBe(first);
  });

  test("unknown kids do not cause a query each", async () => {
    const keys = createSigningKeys(database.db);
    await keys.rotate();
    await sql`truncate signing_keys`.execute(database.db);
    for (let i = 0; i < 20; i++) expect(await keys.find(`unknown-${i}`)).toBeNull();
    expect(await storedKids()).toEqual([]);
  });
});

test("maintenance deletes sessions when they expire or are 180 days old, and sign-ins after an hour", async () => {
  await sql`insert into users (id, email) values ('00000000-0000-4000-8000-000000000000', 'a@b.example')`.execute(
    database.db,
  );
  await sql`insert into sessions (user_id, provider, refresh_key, expires_at)
    select '00000000-0000-4000-8000-000000000000', 'google', decode(repeat('00', 32), 'hex'), now() + n * interval '1 minute'
    from unnest(array[-1, 0, 1]) n`.execute(database.db);
  await sql`insert into sessions (user_id, provider, refresh_key, created_at, expires_at)
    values ('00000000-0000-4000-8000-000000000000', 'google', decode(repeat('00', 32), 'hex'),
      now() - interval '181 days', now() + interval '80 days')`.execute(database.db);
  await sql`insert into sign_ins (id, provider, challenge, callback_hash, returned_at, expires_at)
    select n::text, 'google', '', '', now() - n * interval '1 minute', now() from unnest(array[61, 59, 1]) n`.execute(
    database.db,
  );
  const { db } = database;
  await accountCleanup.run({ db, payload: {}, signal: new AbortController().signal });
  const sessions = await sql<{ live: boolean }>`select expires_at > now() as live from sessions`.execute(
    database.db,
  );
  expect(sessions.rows).toEqual([{ live: true }]);
  const signIns = await database.db.selectFrom("sign_ins").select("id").orderBy("returned_at").execute();
  expect(signIns.map(({ id }) => id)).toEqual(["59", "1"]);
});
