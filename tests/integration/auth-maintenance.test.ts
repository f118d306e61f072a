import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { accountCleanup } from "../../src/auth/store/account-cleanup.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import {
  ago,
  fromNow,
  givenEarlier,
  givenNone,
  givenSession,
  givenSignIn,
  givenUser,
} from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

const DAY = 24 * 60 * 60_000;
const database = await setUpDatabase();
const { db } = database;
beforeEach(() => givenNone(db, "signing_keys", "users", "sign_ins"));

async function storedKids(): Promise<string[]> {
  return (await storedRows(db, "signing_keys", ["created_at", "kid"])).map(({ kid }) => kid);
}

const makeOlder = (kid = "", ms = 0) =>
  givenEarlier(db, "signing_keys", ["created_at"], { seconds: ms / 1000 }, { kid });

async function publishedKids(keys: ReturnType<typeof createSigningKeys>) {
  return (await keys.published()).keys.map(({ kid }) => kid);
}

test("instances that start together on an empty database share one key, which signs at once", async () => {
  const instances = Array.from({ length: 5 }, () => createSigningKeys(db));
  const signers = await Promise.all(instances.map((keys) => keys.signer()));
  expect(new Set(signers.map(({ kid }) => kid)).size).toBe(1);
  expect(await storedKids()).toHaveLength(1);
});

test("a key gets a successor after 30 days, which signs 30 minutes later; two days later the key is deleted", async () => {
  let now = Date.now();
  const keys = createSigningKeys(db, () => now);
  const { kid: first } = await keys.signer();
  await makeOlder(first, 29 * DAY);
  await keys.rotate();
  expect(await publishedKids(keys)).toEqual([first]);
  await makeOlder(first, 2 * DAY);
  await keys.rotate();
  const [, second = expect.fail()] = await storedKids();
  expect(await publishedKids(keys)).toEqual([first, second]);
  now += 29 * 60_000;
  expect((await keys.signer()).kid).toBe(first);
  now += 2 * 60_000;
  for (const instance of [keys, createSigningKeys(db, () => now)])
    expect((await instance.signer()).kid).toBe(second);
  await makeOlder(second, 2 * DAY);
  await keys.rotate();
  expect(await storedKids()).toEqual([first, second]);
  await makeOlder(second, 31 * 60_000);
  await keys.rotate();
  expect(await storedKids()).toEqual([second]);
  expect(await keys.find(first)).toBeNull();
});

test("an instance in use creates and finds new keys within ten minutes, and one failure changes nothing", async () => {
  let now = Date.now();
  const keys = createSigningKeys(db, () => now);
  const { kid: first } = await keys.signer();
  await makeOlder(first, 31 * DAY);
  now += 9 * 60_000;
  expect(await publishedKids(keys)).toEqual([first]);
  await sql`alter table signing_keys rename to lost_keys`.execute(db);
  now += 2 * 60_000;
  expect(await publishedKids(keys)).toEqual([first]);
  await sql`alter table lost_keys rename to signing_keys`.execute(db);
  now += 11 * 60_000;
  await expect.poll(() => publishedKids(keys)).toHaveLength(2);
  expect(await storedKids()).toEqual(await publishedKids(keys));
  expect((await keys.signer()).kid).toBe(first);
});

test("unknown kids do not cause a query each", async () => {
  const keys = createSigningKeys(db);
  await keys.rotate();
  await givenNone(db, "signing_keys");
  for (let i = 0; i < 20; i++) expect(await keys.find(`unknown-${i}`)).toBeNull();
  expect(await storedKids()).toEqual([]);
});

test("maintenance deletes sessions when they expire or are 180 days old, and sign-ins after an hour", async () => {
  const user_id = await givenUser(db);
  for (const minutes of [-1, 0, 1]) await givenSession(db, { user_id, expires_at: fromNow({ minutes }) });
  await givenSession(db, { user_id, created_at: ago({ days: 181 }), expires_at: fromNow({ days: 80 }) });
  for (const minutes of [61, 59, 1])
    await givenSignIn(db, { id: `${minutes}`, returned_at: ago({ minutes }) });
  await accountCleanup.run({ db, payload: {}, signal: new AbortController().signal });
  const sessions = await storedRows(db, "sessions", ["expires_at"]);
  expect(sessions.map(({ expires_at }) => expires_at > new Date())).toEqual([true]);
  const signIns = await storedRows(db, "sign_ins", ["returned_at", "id"]);
  expect(signIns.map(({ id }) => id)).toEqual(["59", "1"]);
});
