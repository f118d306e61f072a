import { jwtVerify } from "jose";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startAuthMaintenance } from "../../src/auth/store/cleanup.server.ts";
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
  await sql`truncate signing_keys, users, flows cascade`.execute(database.db);
});

/** The names of the keys in the database, oldest first. */
async function kids(): Promise<string[]> {
  const rows = await database.db.selectFrom("signing_keys").select("kid").orderBy("created_at").execute();
  return rows.map(({ kid }) => kid);
}

async function age(kid: string | undefined, ms: number): Promise<void> {
  await sql`update signing_keys set created_at = created_at - make_interval(secs => ${ms / 1000}) where kid = ${kid}`.execute(
    database.db,
  );
}

async function published(keys: ReturnType<typeof createSigningKeys>) {
  return (await keys.published()).keys.map(({ kid }) => kid);
}

describe("signing keys", () => {
  test("instances that start together on an empty database have one key, which signs at once", async () => {
    const instances = Array.from({ length: 5 }, () => createSigningKeys(database.db));
    const signers = await Promise.all(instances.map((keys) => keys.signer()));
    expect(new Set(signers.map(({ kid }) => kid)).size).toBe(1);
    expect(await kids()).toHaveLength(1);
  });

  test("a month old, a key gets a successor, which is published for 30 minutes before it signs", async () => {
    let now = Date.now();
    const keys = createSigningKeys(database.db, () => now);
    const { kid: first } = await keys.signer();
    await age(first, 29 * DAY);
    await keys.rotate();
    expect(await published(keys)).toEqual([first]);
    await age(first, 2 * DAY);
    await keys.rotate();
    const [, second] = await kids();
    expect(await published(keys)).toEqual([first, second]);
    expect((await keys.signer()).kid).toBe(first);
    now += 29 * 60_000;
    expect((await keys.signer()).kid).toBe(first);
    now += 2 * 60_000;
    expect((await keys.signer()).kid).toBe(second);
    const later = createSigningKeys(database.db, () => now);
    expect((await later.signer()).kid).toBe(second);
  });

  test("a key goes when its successor has signed for a day, and not before", async () => {
    const keys = createSigningKeys(database.db);
    await keys.rotate();
    const [first] = await kids();
    await age(first, 31 * DAY);
    await keys.rotate();
    const [, second] = await kids();
    await age(second, DAY);
    await keys.rotate();
    expect(await kids()).toEqual([first, second]);
    await age(second, 31 * 60_000);
    await keys.rotate();
    expect(await kids()).toEqual([second]);
    expect(await keys.find(first ?? "")).toBeNull();
  });

  test("a token of a key that another instance made is understood", async () => {
    let now = Date.now();
    const [here, there] = [1, 2].map(() => createSigningKeys(database.db, () => now));
    if (!here || !there) expect.fail();
    await here.signer();
    const [first] = await kids();
    await age(first, 31 * DAY);
    await there.rotate();
    now += 31 * 60_000;
    const { kid, key } = await there.signer();
    expect(kid).not.toBe(first);
    const tokens = createAccessTokens(there, "https://front-row.example/auth/v1", () => now);
    const [id, sessionId] = [crypto.randomUUID(), crypto.randomUUID()];
    const subject = {
      id,
      sessionId,
      email: "a@b.example",
      provider: "google",
      app_metadata: {},
      user_metadata: {},
    } as const;
    const { token } = await (await tokens.issuer())({ ...subject, signedInAt: new Date(now) });
    expect(key).toBeDefined();
    const found = await here.find(kid);
    await jwtVerify(token, found ?? expect.fail(), { currentDate: new Date(now) });
    const reads = createAccessTokens(here, "https://front-row.example/auth/v1", () => now);
    expect(await reads.verify(token)).toEqual({ userId: id, sessionId });
  });

  test("a clock that was set back does not keep an instance from looking for new keys", async () => {
    let now = Date.now();
    const here = createSigningKeys(database.db, () => now);
    await here.rotate();
    const [first] = await kids();
    await age(first, 31 * DAY);
    await createSigningKeys(database.db).rotate();
    const [, second = ""] = await kids();
    expect(await here.find(second)).toBeNull();
    now -= 60 * 60_000;
    expect(await here.find(second)).not.toBeNull();
  });

  test("unknown key names do not make an instance ask the database each time", async () => {
    const keys = createSigningKeys(database.db);
    await keys.rotate();
    await sql`truncate signing_keys`.execute(database.db);
    for (let i = 0; i < 20; i++) expect(await keys.find(`unknown-${i}`)).toBeNull();
    expect(await kids()).toEqual([]);
  });
});

test("flows and sessions that have expired are swept, the others stay", async () => {
  await sql`insert into users (id, email) values ('00000000-0000-4000-8000-000000000000', 'a@b.example')`.execute(
    database.db,
  );
  await sql`insert into sessions (user_id, provider, refresh_key, expires_at)
    select '00000000-0000-4000-8000-000000000000', 'google', decode(repeat('00', 32), 'hex'), now() + n * interval '1 minute'
    from unnest(array[-1, 0, 1]) n`.execute(database.db);
  await sql`insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at)
    select n::text, 'google', '', '', '', '', now() + n * interval '1 minute' from unnest(array[-61, -59, 1]) n`.execute(
    database.db,
  );
  const upkeep = startAuthMaintenance(database.db, createSigningKeys(database.db), pino({ level: "silent" }));
  await upkeep.stop();
  const sessions = await sql<{ live: boolean }>`select expires_at > now() as live from sessions`.execute(database.db);
  expect(sessions.rows).toEqual([{ live: true }]);
  const flows = await database.db.selectFrom("flows").select("state").orderBy("state").execute();
  expect(flows.map(({ state }) => state)).toEqual(["-59", "1"]);
});

test("upkeep that fails is logged, and does not end the process", async () => {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
  const away = createSigningKeys(database.db);
  vi.spyOn(away, "rotate").mockRejectedValue(new Error("The database is away"));
  await startAuthMaintenance(database.db, away, log).stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, error: "The database is away" }]);
});
