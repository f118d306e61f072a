import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  authHeaders,
  callAuth,
  statusAndCode as errorOf,
  redirectTarget,
  refreshTokens,
  type SessionResponse,
  securityEvents,
  signIn,
  signInUpToCallback,
  startSignIn,
} from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import {
  ago,
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenNone,
  givenReviews,
  givenShows,
} from "../support/given.ts";
import { notesOf, readFirstPage } from "../support/read-list.ts";
import { openTestSite, setUpAccountsSite, setUpDatabase, setUpRelay, setUpSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { auditRows, countLockWaiters, countRows, expectTrueTallies, storedRows } from "../support/stored.ts";

const email = "wren@people.example";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, 3);
const relay = await setUpRelay(database);
const accountsSite = await setUpAccountsSite(database, { DATABASE_URL: relay.url });
const { site } = accountsSite;
/** A second instance on the same database. */
const withoutRelay = { ...accountsSite.variables, DATABASE_URL: database.url, LOG_LEVEL: "error" };
const second = await setUpSite(database, withoutRelay);
/** The page's request to Google before an account is deleted. */
const toDelete = { max_age: "300" };
let wren: SessionResponse;
beforeEach(async () => {
  await givenDeleted(db, "users");
  await givenNone(db, "review_limits", "audit", "banned_identities");
  wren = await signIn(site.origin, "google", { email }, toDelete);
  const pip = await signIn(site.origin, "github", { email: "pip@people.example" });
  const [user_id, on] = [wren.user.id, (day: number) => ({ created_at: new Date(Date.UTC(2025, 7, day)) })];
  await givenReviews(db, [
    { user_id, notes: "Mine", ...on(2) },
    { user_id: pip.user.id, audience_interaction: "no", notes: "Theirs", ...on(1) },
    { user_id, show_id: "show-2", audience_interaction: "no", ...on(3) },
  ]);
  await expect.poll(seen, { timeout: 5_000 }).toEqual([before, before]);
});

/** The first two shows with their counts, and the notes of one, as a server shows them. */
async function seenAt(server: Site): Promise<string[]> {
  const shows = (await readFirstPage(server)).slice(0, 2);
  const counts = shows.map(({ id, reviews }) => [id, reviews?.no, reviews?.yes].join(" "));
  return [...counts, ...(await notesOf(server, "show-1"))];
}

const seen = () => Promise.all([site, second].map(seenAt));
const before = ["show-2 1 0", "show-1 1 1", "Theirs", "Mine"];
const after = ["show-1 1 0", "show-2 0 0", "Theirs"];

const send = (method: string, url: string, { access_token }: SessionResponse, body: unknown) => {
  const headers = { ...authHeaders, Authorization: `Bearer ${access_token}` };
  return fetch(url, { method, headers, body: JSON.stringify(body) });
};

const deleteAccount = (session: SessionResponse, body: unknown = { email }, server = site) =>
  send("DELETE", `${server.origin}/auth/v1/user`, session, body);

const write = (server: Site, session: SessionResponse) => {
  const review = { show_id: "show-3", user_id: session.user.id, audience_interaction: "yes" };
  return send("PUT", `${server.origin}/api/reviews`, session, review);
};

/** The number of Wren's rows in each table. */
const storedOf = async ({ user: { id } }: SessionResponse) => ({
  ...(await countRows(db, ["users"], { id })),
  ...(await countRows(db, ["identities", "sessions", "reviews"], { user_id: id })),
});

const deletion = { event: "account_deleted", deleted_at: expect.stringMatching(/^20..-..-..T/) };
const deletionsLogged = (server: Site, id = wren.user.id) =>
  securityEvents(server, id).filter((event) => JSON.stringify(event).includes("account_deleted"));

const nothing = { users: 0, identities: 0, sessions: 0, reviews: 0 };
const ofWren = { users: 1, identities: 1, sessions: 1, reviews: 2 };

test("GET /auth/v1/user/export gives the user the same data as export-user", async () => {
  const response = await callAuth(site.origin, "/user/export", { token: wren.access_token });
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const exported = await response.json();
  expect(exported).toEqual(JSON.parse((await runAdmin(database, ["export-user", email])).out));
  expect(exported.reviews.map(({ title }: { title: string }) => title)).toEqual(["Show 1", "Show 2"]);
  expect(await errorOf(await callAuth(site.origin, "/user/export"))).toEqual([401, "no_authorization"]);
});

test("a user deletes the account: sessions, reviews and notes disappear on every instance", async () => {
  const elsewhere = await signIn(second.origin, "github", { email });
  await givenEarlier(db, "sessions", ["created_at"], { minutes: 4, seconds: 45 });
  expect((await deleteAccount(wren, { email: " WREN@people.example " })).status).toBe(204);
  await expect.poll(seen).toEqual([after, after]);
  const ended = [403, "session_not_found"];
  for (const server of [site, second]) {
    for (const { access_token: token, refresh_token } of [wren, elsewhere]) {
      expect(await errorOf(await callAuth(server.origin, "/user", { token }))).toEqual(ended);
      expect((await refreshTokens(server.origin, refresh_token)).status).toBe(400);
    }
  }
  expect(await storedOf(wren)).toEqual(nothing);
  const details = { user_id: wren.user.id, identities: 2, sessions: 2, reviews: 2 };
  expect(await auditRows(db)).toEqual([{ action: "delete-own-user", details }]);
  for (const server of [site, second]) await expect.poll(() => deletionsLogged(server)).toEqual([deletion]);
  expect(site.log.filter((line) => /@people|127\.0\.0\.1/.test(line) && line.includes('"event"'))).toEqual(
    [],
  );

  const again = await signIn(site.origin, "google", { email });
  expect(again.user.id).not.toBe(wren.user.id);
  expect(await storedOf(again)).toEqual({ ...ofWren, reviews: 0 });
});

test("a wrong e-mail, no e-mail and a stale sign-in are refused, a refreshed one too, and change nothing", async () => {
  const wrong = await deleteAccount(wren, { email: "pip@people.example" });
  expect(await errorOf(wrong)).toEqual([400, "wrong_email"]);
  for (const body of [{}, null, { email: 1 }, { email: "a\0" }, { email: "\ud83c" }])
    expect(await errorOf(await deleteAccount(wren, body))).toEqual([400, "validation_failed"]);
  await givenEarlier(db, "sessions", ["created_at"], { minutes: 6 });
  expect(await errorOf(await deleteAccount(wren))).toEqual([403, "reauthentication_needed"]);
  const refreshed = await (await refreshTokens(site.origin, wren.refresh_token)).json();
  expect(await errorOf(await deleteAccount(refreshed))).toEqual([403, "reauthentication_needed"]);
  expect(await storedOf(wren)).toEqual(ofWren);
  expect(await auditRows(db)).toEqual([]);
});

test("of two concurrent deletions while reviews are written, one counts and nothing stays", async () => {
  const writes = Array.from({ length: 6 }, (_, index) => write(index % 2 ? site : second, wren));
  const deletions = await Promise.all([deleteAccount(wren), deleteAccount(wren, { email }, second)]);
  for (const response of await Promise.all(writes)) expect([200, 401, 429]).toContain(response.status);
  expect(deletions.map(({ status }) => status).sort()).toEqual([204, 403]);
  expect(await storedOf(wren)).toEqual(nothing);
  expect(await auditRows(db)).toHaveLength(1);
  await expect.poll(seen).toEqual([after, after]);
  expect((await expectTrueTallies(db)).map(({ show_id }) => show_id)).not.toContain("show-3");
});

test("a sign-in at Google deletes the account only if Google has just authenticated the user", async () => {
  const needed = [403, "reauthentication_needed"];
  expect(await errorOf(await deleteAccount(await signIn(site.origin, "google", { email })))).toEqual(needed);
  await givenChanged(db, "sign_ins", { authenticated_at: ago({ minutes: 11 }) });
  expect(await errorOf(await deleteAccount(wren))).toEqual(needed);
  const events = securityEvents(site, wren.user.id);
  expect(events.at(-1)).toEqual({ event: "account_deletion_refused", reason: "reauthentication_needed" });
  const hub = await signIn(site.origin, "github", { email }, toDelete);
  expect((await deleteAccount(hub)).status).toBe(204);
});

test.each([
  ["was signed in at Google before", { before: true }, {}],
  ["comes without auth_time", {}, { auth_time: undefined }],
  ["comes with an old auth_time", {}, { auth_time: Math.floor(Date.now() / 1000) - 700 }],
])("a sign-in that is to prove it, but %s, fails and leaves the session", async (_what, choice, claims) => {
  const { callback } = await signInUpToCallback(site.origin, "google", { email, ...choice }, toDelete);
  accountsSite.google.faults.tamper = (original) => ({ ...original, ...claims });
  const { searchParams } = await redirectTarget(callback);
  accountsSite.google.faults.tamper = (original) => original;
  expect(Object.fromEntries(searchParams)).toEqual({
    error: "access_denied",
    error_code: "reauthentication_needed",
    error_description:
      "Google did not ask you to sign in again. Sign out of Google in this browser, then try again.",
  });
  expect(await storedOf(wren)).toEqual(ofWren);
  expect((await callAuth(site.origin, "/user", { token: wren.access_token })).status).toBe(200);
});

test("a request to Google may have max_age up to 600, with auth_time", async () => {
  for (const [max_age, expected] of [
    ["600", "600"],
    ...["601", "-1", "", "1e2x"].map((text) => [text, null] as const),
  ] as const) {
    const { searchParams } = await redirectTarget(startSignIn(site.origin, "google", { max_age }).url);
    expect(searchParams.get("max_age")).toBe(expected);
    expect(searchParams.get("claims")).toBe(expected && '{"id_token":{"auth_time":{"essential":true}}}');
  }
});

test("a deletion is logged when the response to its commit is lost, and while the site is stopped", async () => {
  await sql`create function wait_for_the_test() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(7); return null; end';
    create constraint trigger wait_for_the_test after delete on users deferrable initially deferred
    for each row execute function wait_for_the_test()`.execute(db);
  const deleting = await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(7)`.execute(trx);
    const response = deleteAccount(wren);
    await expect.poll(() => countLockWaiters(db)).toBe(1);
    relay.cut();
    return { status: (await response).status };
  });
  expect(deleting).toEqual({ status: 503 });
  await sql`drop trigger wait_for_the_test on users`.execute(db);
  await expect.poll(() => storedOf(wren)).toEqual(nothing);
  const [pip = expect.fail()] = await storedRows(db, "users", ["id"]);
  await runAdmin(database, ["delete-user", pip.id]);
  expect(deletionsLogged(site)).toEqual([]);
  relay.restore();
  for (const server of [site, second, await openTestSite(withoutRelay)]) {
    for (const id of [wren.user.id, pip.id])
      await expect.poll(() => deletionsLogged(server, id), { timeout: 10_000 }).toEqual([deletion]);
  }
});
