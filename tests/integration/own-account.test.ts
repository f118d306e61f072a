import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import {
  type AccountsSite,
  callAuth,
  refreshTokens,
  type SessionResponse,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { auditRows, runAdmin } from "../support/admin.ts";
import { type Relay, startRelay } from "../support/database-relay.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { recordRecentRefresh, type Site, startSite } from "../support/site.ts";

const email = "wren@people.example";

let database: Database;
let relay: Relay;
let accountsSite: AccountsSite;
let site: Site;
/** A second server process on the same database. */
let second: Site;
let wren: SessionResponse;

beforeAll(async () => {
  database = await createTestDatabase();
  await recordRecentRefresh(database.db);
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, 3) n`.execute(database.db);
  relay = await startRelay(database.url);
  accountsSite = await startAccountsSite(relay.url);
  site = accountsSite.site;
  second = await startSite({ ...accountsSite.variables, DATABASE_URL: database.url });
});
afterAll(async () => {
  await second.stop();
  await accountsSite.close();
  await relay.close();
  await database.close();
});
beforeEach(async () => {
  await sql`delete from users`.execute(database.db); // its triggers keep the tallies true
  await sql`truncate review_limits, audit, banned_identities`.execute(database.db);
  wren = await signIn(site.origin, "google", { email });
  const pip = await signIn(site.origin, "github", { email: "pip@people.example" });
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at) values
    ('show-1', ${wren.user.id}, 'yes', 'Mine', '2025-08-02Z'), ('show-1', ${pip.user.id}, 'no', 'Theirs', '2025-08-01Z'),
    ('show-2', ${wren.user.id}, 'no', null, '2025-08-03Z')`.execute(database.db);
  await expect.poll(seen, { timeout: 5_000 }).toEqual([before, before]);
});

/** What a server shows: the first two shows with their counts, and the notes of one. */
async function seenAt(server: Site) {
  const { shows } = await (await server.api("/api/shows")).json();
  const { reviews } = await (await server.api("/api/reviews?show_id=show-1")).json();
  const { no, yes } = reviews["show-1"];
  return [
    ...shows.slice(0, 2).map(({ id, reviews }: { id: string; reviews: { no: number; yes: number } }) => {
      return [id, reviews.no, reviews.yes].join(" ");
    }),
    ...[...yes.notes, ...no.notes].map(({ notes }) => notes),
  ];
}

const seen = () => Promise.all([site, second].map(seenAt));
const before = ["show-2 1 0", "show-1 1 1", "Mine", "Theirs"];
const after = ["show-1 1 0", "show-2 0 0", "Theirs"];

function deleteAccount(
  session: SessionResponse,
  body: unknown = { email },
  server = site,
): Promise<Response> {
  return fetch(`${server.origin}/auth/v1/user`, {
    method: "DELETE",
    headers: {
      apikey: "front-row-public",
      "X-Supabase-Api-Version": "2024-01-01",
      "Content-Type": "application/json",
      Authorization: `Bearer ${session.access_token}`,
    },
    body: JSON.stringify(body),
  });
}

async function errorOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json()).code];
}

function write(server: Site, session: SessionResponse): Promise<Response> {
  return fetch(`${server.origin}/api/reviews`, {
    method: "PUT",
    headers: {
      apikey: "front-row-public",
      "Content-Type": "application/json",
      Authorization: `Bearer ${session.access_token}`,
    },
    body: JSON.stringify({ show_id: "show-3", user_id: session.user.id, audience_interaction: "yes" }),
  });
}

/** The number of Wren's rows in each table. */
async function storedOf({ user: { id } }: SessionResponse) {
  const { rows } = await sql`select
    (select count(*)::integer from users where id = ${id}) as users,
    (select count(*)::integer from identities where user_id = ${id}) as identities,
    (select count(*)::integer from sessions where user_id = ${id}) as sessions,
    (select count(*)::integer from reviews where user_id = ${id}) as reviews`.execute(database.db);
  return rows[0];
}

const nothing = { users: 0, identities: 0, sessions: 0, reviews: 0 };
const ofWren = { users: 1, identities: 1, sessions: 1, reviews: 2 };

const ageSessions = (minutes: number) =>
  sql`update sessions set created_at = now() - make_interval(mins => ${minutes})`.execute(database.db);

test("GET /auth/v1/user/export gives the user what export-user gives the operator", async () => {
  const response = await callAuth(site.origin, "/user/export", { token: wren.access_token });
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const exported = await response.json();
  expect(exported).toEqual(JSON.parse((await runAdmin(database, ["export-user", email])).out));
  expect(exported.reviews.map(({ title }: { title: string }) => title)).toEqual(["Show 1", "Show 2"]);
  expect(await errorOf(await callAuth(site.origin, "/user/export"))).toEqual([401, "no_authorization"]);
});

test("a user deletes the account: sessions, reviews and notes go on every instance within a second", async () => {
  const elsewhere = await signIn(second.origin, "github", { email });
  await sql`update sessions set created_at = now() - interval '4 minutes 50 seconds'`.execute(database.db);
  expect((await deleteAccount(wren, { email: " WREN@people.example " })).status).toBe(204);
  await expect.poll(seen, { timeout: 1_000 }).toEqual([after, after]);
  for (const server of [site, second]) {
    for (const { access_token: token, refresh_token } of [wren, elsewhere]) {
      expect(await errorOf(await callAuth(server.origin, "/user", { token }))).toEqual([
        403,
        "session_not_found",
      ]);
      expect((await refreshTokens(server.origin, refresh_token)).status).toBe(400);
    }
  }
  expect(await storedOf(wren)).toEqual(nothing);
  const details = { user_id: wren.user.id, identities: 2, sessions: 2, reviews: 2 };
  expect(await auditRows(database.db)).toEqual([{ action: "delete-own-user", details }]);

  const again = await signIn(site.origin, "google", { email });
  expect(again.user.id).not.toBe(wren.user.id);
  expect(await storedOf(again)).toEqual({ ...ofWren, reviews: 0 });
});

test("a wrong e-mail, no e-mail and a stale sign-in are refused, a refreshed one too, and change nothing", async () => {
  expect(await errorOf(await deleteAccount(wren, { email: "pip@people.example" }))).toEqual([
    400,
    "wrong_email",
  ]);
  for (const body of [{}, null, { email: 1 }, { email: "a\0" }, { email: "\ud83c" }])
    expect(await errorOf(await deleteAccount(wren, body))).toEqual([400, "validation_failed"]);
  await ageSessions(6);
  expect(await errorOf(await deleteAccount(wren))).toEqual([403, "reauthentication_needed"]);
  const refreshed = await (await refreshTokens(site.origin, wren.refresh_token)).json();
  expect(await errorOf(await deleteAccount(refreshed))).toEqual([403, "reauthentication_needed"]);
  expect(await storedOf(wren)).toEqual(ofWren);
  expect(await auditRows(database.db)).toEqual([]);
  const recent = await signIn(second.origin, "google", { email });
  expect((await deleteAccount(recent)).status).toBe(204);
  expect(await storedOf(wren)).toEqual(nothing);
});

test("deleted twice at once at two instances while reviews are written, one deletion counts and nothing stays", async () => {
  const writes = Array.from({ length: 6 }, (_, index) => write(index % 2 ? site : second, wren));
  const deletions = await Promise.all([deleteAccount(wren), deleteAccount(wren, { email }, second)]);
  for (const response of await Promise.all(writes)) expect([200, 401, 429]).toContain(response.status);
  expect(deletions.map(({ status }) => status).sort()).toEqual([204, 403]);
  expect(await storedOf(wren)).toEqual(nothing);
  expect(await auditRows(database.db)).toHaveLength(1);
  await expect.poll(seen, { timeout: 1_000 }).toEqual([after, after]);
  const { rows } = await sql`select no, very_little, yes from tallies where show_id = 'show-3'`.execute(
    database.db,
  );
  for (const tallies of rows) expect(tallies).toEqual({ no: 0, very_little: 0, yes: 0 });
});

test("while the database is away the deletion says so, nothing is half done, and later it works", async () => {
  relay.cut();
  expect(await errorOf(await deleteAccount(wren))).toEqual([503, "unavailable"]);
  expect(await errorOf(await callAuth(site.origin, "/user/export", { token: wren.access_token }))).toEqual([
    503,
    "unavailable",
  ]);
  expect(await storedOf(wren)).toEqual(ofWren);
  relay.restore();
  await expect.poll(async () => (await deleteAccount(wren)).status, { timeout: 10_000 }).toBe(204);
  expect(await storedOf(wren)).toEqual(nothing);
  await expect.poll(seen, { timeout: 20_000 }).toEqual([after, after]);
});

test("a ban survives the deletion of its user, as a hash that names nobody", async () => {
  await runAdmin(database, ["ban-user", email]);
  await runAdmin(database, ["delete-user", email]);
  expect(await storedOf(wren)).toEqual(nothing);
  for (const server of [site, second])
    await expect(signIn(server.origin, "google", { email })).rejects.toThrow(/may\+not\+sign\+in/);
  expect((await sql`select from users where email = ${email}`.execute(database.db)).rows).toEqual([]);
  const other = await signIn(site.origin, "github", { email: "another@people.example" });
  expect((await deleteAccount(other, { email: "another@people.example" })).status).toBe(204);
  expect((await signIn(site.origin, "github", { email: "another@people.example" })).user.id).toBeTruthy();
  expect((await sql`select from banned_identities`.execute(database.db)).rows).toHaveLength(1);
});
