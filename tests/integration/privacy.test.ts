import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import { embeddedUrl, readConnectionInfo } from "../../src/database/embedded/connection-info.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import {
  type AccountsSite,
  call,
  comeBack,
  leadsTo,
  type SessionAnswer,
  signIn,
  startAccountsSite,
} from "../support/accounts.ts";
import { runAdmin } from "../support/admin.ts";
import { serverPid } from "../support/data-folder.ts";
import { createTestDatabase } from "../support/postgres.ts";

let database: Database;
let world: AccountsSite;
let origin: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await sql`insert into shows (id, title, year, status) values ('show-1', 'Moth Hour', 2025, 'active')`.execute(
    database.db,
  );
  await sql`insert into refreshes (finished_at, outcome) values (now(), 'succeeded')`.execute(database.db);
  world = await startAccountsSite(database.url);
  ({ origin } = world.site);
});
afterAll(async () => {
  await world.close();
  await database.close();
});
afterEach(async () => {
  await sql`truncate users, review_limits, audit cascade`.execute(database.db);
});

const reviewer = ({ user, access_token }: SessionAnswer) => ({ id: user.id, token: access_token });
const review = { show_id: "show-1", audience_interaction: "yes", notes: "Sat in row three; was asked for my name." };

/** Wren, who has done all that one can do here. */
async function wrenWhoDidEverything(): Promise<SessionAnswer> {
  const wren = await signIn(origin, "google", { email: "wren@people.example" });
  await signIn(origin, "github", { email: "wren@people.example" });
  expect((await sendReview(origin, reviewer(wren), review)).status).toBe(200);
  await leadsTo((await comeBack(origin, "google", { email: "wren@people.example" })).callback);
  return wren;
}

/** The tables in which any row holds one of the texts. */
async function tablesWith(db: Kysely<Schema>, texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const holds = sql.join(
      texts.map((text) => sql`strpos(lower(t::text), ${text.toLowerCase()}) > 0`),
      sql` or `,
    );
    const hit = await sql`select from ${sql.raw(name)} t where ${holds} limit 1`.execute(db);
    if (hit.rows.length > 0) found.push(name);
  }
  return found.sort();
}

test("one person's data are given out whole, without what would let others in", async () => {
  const wren = await wrenWhoDidEverything();
  const pip = await signIn(origin, "google", { email: "pip@people.example" });
  await sendReview(origin, reviewer(pip), { ...review, notes: "Pip's own" });
  const { exit, out, err } = await runAdmin(database, ["export-user", "WREN@people.example"]);
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const identity = { email: "wren@people.example", email_verified: true, user_id: wren.user.id, created_at: moment };
  expect(JSON.parse(out)).toEqual({
    user: {
      id: wren.user.id,
      email: "wren@people.example",
      email_confirmed_at: moment,
      last_sign_in_at: moment,
      banned_at: null,
      created_at: moment,
    },
    identities: [
      expect.objectContaining({ ...identity, provider: "github" }),
      expect.objectContaining({ ...identity, provider: "google" }),
    ],
    sessions: ["google", "github"].map((provider) => ({
      provider,
      created_at: moment,
      refreshed_at: moment,
      expires_at: moment,
    })),
    sign_ins_under_way: [{ provider: "google", created_at: moment, expires_at: moment }],
    reviews: [{ ...review, title: "Moth Hour", created_at: moment }],
    writes_counted: [60, 3_600, 86_400].map((within_seconds) => ({ within_seconds, writes: 1, until: moment })),
    operators_notes: [],
  });
  const { rows } = await sql<{ secret: string }>`
    select encode(refresh_key, 'hex') as secret from sessions union all select state from flows union all select nonce from flows`.execute(
    database.db,
  );
  for (const { secret } of rows) expect(out).not.toContain(secret);
});

test("nothing of somebody is in the database once they are deleted, but their id in the operator's audit", async () => {
  const wren = await wrenWhoDidEverything();
  const traces = [wren.user.id, "wren@people.example", "row three"];
  expect(await tablesWith(database.db, traces)).toEqual([
    "public.flows",
    "public.identities",
    "public.review_limits",
    "public.reviews",
    "public.sessions",
    "public.users",
  ]);
  expect((await runAdmin(database, ["delete-user", "wren@people.example"])).exit).toBe(0);
  expect(await tablesWith(database.db, traces)).toEqual(["public.audit"]);
  expect(await tablesWith(database.db, ["wren@people.example", "row three"])).toEqual([]);
  expect((await call(origin, "/user", { token: wren.access_token })).status).toBe(403);
  expect(JSON.stringify(await (await world.site.api("/api/reviews?show_id=show-1")).json())).not.toContain("row three");
});

/** A request from another address of this machine, and through a proxy that says for whom. */
async function askFromAfar(url: string, headers: Record<string, string>, method = "GET", body = ""): Promise<void> {
  const asking = request(url, {
    method,
    headers: { "X-Forwarded-For": "203.0.113.7", ...headers },
    localAddress: "127.0.0.2",
  });
  asking.end(body);
  const [answer] = await once(asking, "response");
  await readText(answer);
}

test("no log line holds an e-mail, an address, an id, notes, a token or a code, whatever happens", async () => {
  const dataDir = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-privacy-")));
  const own = await startAccountsSite("", { DATA_DIR: dataDir, LOG_LEVEL: "trace" });
  const secrets = new Set<string>(["people.example", "row three", "127.0.0.2", "203.0.113.7"]);
  try {
    const { site } = own;
    const facts = await readConnectionInfo(dataDir);
    const url = facts ? embeddedUrl(facts) : "";
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    await client.query("insert into shows (id, title, year, status) values ('show-1', 'Moth Hour', 2025, 'active')");
    await client.query("notify shows_changed");

    const { callback, verifier } = await comeBack(site.origin, "google", { email: "wren@people.example" });
    const code = (await leadsTo(callback)).searchParams.get("code") ?? "";
    const sent = new URL(callback).searchParams;
    for (const secret of [verifier, code, sent.get("code"), sent.get("state")]) if (secret) secrets.add(secret);
    const wren = await (
      await call(site.origin, "/token?grant_type=pkce", { body: { auth_code: code, code_verifier: verifier } })
    ).json();
    for (const secret of [wren.access_token, wren.refresh_token, wren.user.id]) secrets.add(secret);
    const token = {
      apikey: "front-row-public",
      Authorization: `Bearer ${wren.access_token}`,
      "Content-Type": "application/json",
    };
    const body = JSON.stringify({ ...review, user_id: wren.user.id });

    await expect.poll(async () => (await sendReview(site.origin, reviewer(wren), review)).status).toBe(200);
    await askFromAfar(`${site.origin}/?search=wren@people.example`, {});
    await askFromAfar(`${site.origin}/nowhere?token=${wren.refresh_token}`, {});
    await askFromAfar(`${site.origin}/api/reviews`, token, "PUT", body);
    await askFromAfar(`${site.origin}/api/reviews`, token, "PUT", body.replace("yes", "perhaps"));
    await askFromAfar(`${site.origin}/auth/v1/callback?code=${code}&state=${sent.get("state")}`, {});
    await call(site.origin, "/token?grant_type=refresh_token", { body: { refresh_token: wren.refresh_token } });
    await leadsTo((await comeBack(site.origin, "google", "fail").catch(() => ({ callback: callback }))).callback);
    const forged = (await comeBack(site.origin, "github", { email: "pip@people.example" })).callback;
    await leadsTo(forged.replace(/([?&]code=)[^&]*/, "$1forged"));
    await expect(
      client.query("insert into users (email, email_confirmed_at) values ($1, now())", ["WREN@people.example"]),
    ).rejects.toThrow("duplicate key");

    process.kill(await serverPid(dataDir), "SIGKILL");
    await askFromAfar(`${site.origin}/api/reviews`, token, "PUT", body);
    await askFromAfar(`${site.origin}/auth/v1/user`, token);
    await expect.poll(() => site.log.join("\n"), { timeout: 20_000 }).toContain("is running again");
    await own.close();

    const log = site.log.join("\n");
    expect(log).toContain("A sign-in failed");
    expect(log).toContain("Request answered");
    const databaseLog = await readFile(path.join(dataDir, "postgres.log"), "utf8");
    expect(databaseLog).toContain("duplicate key");
    for (const secret of secrets) {
      expect(log.split("\n").filter((line) => line.includes(secret))).toEqual([]);
      expect(databaseLog.split("\n").filter((line) => line.includes(secret))).toEqual([]);
    }
  } finally {
    await own.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
