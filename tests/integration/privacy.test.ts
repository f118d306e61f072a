import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { type RequestOptions, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { reviewHeaders, sendReview } from "../../dev/harness/reviewers.ts";
import { embeddedUrl, readConnectionInfo } from "../../src/database/embedded/connection-info.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import {
  callAuth,
  exchangeCode,
  openAccountsSite,
  readSession,
  redirectTarget,
  refreshTokens,
  returnedCode,
  type SessionResponse,
  signIn,
  signInUpToCallback,
} from "../support/accounts.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { serverPid } from "../support/data-folders.ts";
import { givenNone, givenShows } from "../support/given.ts";
import { setUpAccountsSite, setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, [{ title: "Moth Hour" }]);
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
afterEach(async () => {
  await givenNone(db, "users", "review_limits", "audit");
});

const reviewer = ({ user, access_token }: SessionResponse) => ({ id: user.id, token: access_token });
const review = {
  show_id: "show-1",
  audience_interaction: "yes",
  notes: "Sat in row three; was asked for my name.",
};

/** Signs Wren in with both providers, writes a review and leaves a sign-in unfinished. */
async function signInWrenWithAllData(): Promise<SessionResponse> {
  const wren = await signIn(origin, "google", { email: "wren@people.example" });
  await signIn(origin, "github", { email: "wren@people.example" });
  expect((await sendReview(origin, reviewer(wren), review)).status).toBe(200);
  await redirectTarget(
    (await signInUpToCallback(origin, "google", { email: "wren@people.example" })).callback,
  );
  return wren;
}

/** The tables with a row that contains one of the texts. */
async function tablesWith(db: Kysely<Schema>, texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const contains = sql.join(
      texts.map((text) => sql`strpos(lower(t::text), ${text.toLowerCase()}) > 0`),
      sql` or `,
    );
    const hit = await sql`select from ${sql.raw(name)} t where ${contains} limit 1`.execute(db);
    if (hit.rows.length > 0) found.push(name);
  }
  return found.sort();
}

test("export-user prints all data of one user, without secrets", async () => {
  const wren = await signInWrenWithAllData();
  const pip = await signIn(origin, "google", { email: "pip@people.example" });
  await sendReview(origin, reviewer(pip), { ...review, notes: "Pip's own" });
  const { exit, out, err } = await runAdminProcess(database, ["export-user", "WREN@people.example"]);
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const identity = {
    email: "wren@people.example",
    email_verified: true,
    user_id: wren.user.id,
    created_at: timestamp,
  };
  expect(JSON.parse(out)).toEqual({
    user: {
      id: wren.user.id,
      email: "wren@people.example",
      email_confirmed_at: timestamp,
      last_sign_in_at: timestamp,
      banned_at: null,
      quarantined_at: null,
      dismissed_reports: 0,
      created_at: timestamp,
    },
    identities: [
      expect.objectContaining({ ...identity, provider: "github" }),
      expect.objectContaining({ ...identity, provider: "google" }),
    ],
    sessions: ["google", "github"].map((provider) => ({
      provider,
      created_at: timestamp,
      refreshed_at: timestamp,
      expires_at: timestamp,
    })),
    latest_sign_ins: [
      { provider: "google", returned_at: timestamp, exchanged_at: timestamp },
      { provider: "github", returned_at: timestamp, exchanged_at: timestamp },
      { provider: "google", returned_at: timestamp, exchanged_at: null },
    ],
    reviews: [{ ...review, title: "Moth Hour", created_at: timestamp, hidden_rule: null }],
    reports_made: [],
    reports_of_your_notes: [],
    deleted_reviews: [],
    writes_counted: [60, 3_600, 86_400].map((within_seconds) => ({
      within_seconds,
      writes: 1,
      until: timestamp,
    })),
    operators_notes: [],
  });
  for (const { refresh_key } of await storedRows(db, "sessions", ["refresh_key"]))
    expect(out).not.toContain(refresh_key.toString("hex"));
  for (const { id } of await storedRows(db, "sign_ins", ["id"])) expect(out).not.toContain(id);
});

test("delete-user leaves nothing of the user in the database but the id in the audit log", async () => {
  const wren = await signInWrenWithAllData();
  const traces = [wren.user.id, "wren@people.example", "row three"];
  expect(await tablesWith(db, traces)).toEqual([
    "public.identities",
    "public.review_limits",
    "public.reviews",
    "public.sessions",
    "public.sign_ins",
    "public.users",
  ]);
  expect((await runAdmin(database, ["delete-user", "wren@people.example"])).exit).toBe(0);
  expect(await tablesWith(db, traces)).toEqual(["public.audit"]);
  expect(await tablesWith(db, ["wren@people.example", "row three"])).toEqual([]);
  expect((await callAuth(origin, "/user", { token: wren.access_token })).status).toBe(403);
  expect(
    JSON.stringify(await (await accountsSite.site.api("/api/reviews?show_id=show-1")).json()),
  ).not.toContain("row three");
});

/** Sends a request from another address of this machine, with a forwarded client address. */
async function sendForwarded(
  url: string,
  { body = "", ...options }: RequestOptions & { body?: string } = {},
) {
  const headers = { "X-Forwarded-For": "203.0.113.7", ...options.headers };
  const sent = request(url, { ...options, headers, localAddress: "127.0.0.2" });
  sent.end(body);
  const [response] = await once(sent, "response");
  await readText(response);
}

test("logs contain no e-mail, IP address, notes, token or code (docs/product.md §10.3)", async () => {
  const dataDir = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-privacy-")));
  const ownAccountsSite = await openAccountsSite({ DATA_DIR: dataDir, LOG_LEVEL: "trace" });
  const { site } = ownAccountsSite;
  onTestFinished(async () => {
    await ownAccountsSite.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const connectionInfo = await readConnectionInfo(dataDir);
  const client = new pg.Client({ connectionString: connectionInfo ? embeddedUrl(connectionInfo) : "" });
  client.on("error", () => {});
  await client.connect();
  await client.query("insert into shows (id, title, year, status) values ('show-1', 'Moth', 2025, 'active')");
  await client.query("notify shows_changed");

  const email = "wren@people.example";
  const { callback, verifier } = await signInUpToCallback(site.origin, "google", { email });
  const code = await returnedCode(callback);
  const callbackQuery = new URL(callback).searchParams;
  const wren = await readSession(await exchangeCode(site.origin, code, verifier));
  const { access_token, refresh_token } = wren;
  const headers = { ...reviewHeaders(reviewer(wren)) };
  const body = JSON.stringify({ ...review, user_id: wren.user.id });
  await expect.poll(async () => (await sendReview(site.origin, reviewer(wren), review)).status).toBe(200);
  await sendForwarded(`${site.origin}/?search=${email}`);
  await sendForwarded(`${site.origin}/nowhere?token=${refresh_token}`);
  await sendForwarded(`${site.origin}/api/reviews`, { method: "PUT", headers, body });
  const invalid = body.replace("yes", "perhaps");
  await sendForwarded(`${site.origin}/api/reviews`, { method: "PUT", headers, body: invalid });
  await sendForwarded(`${site.origin}/auth/v1/callback?code=${code}&state=${callbackQuery.get("state")}`);
  await refreshTokens(site.origin, refresh_token);
  const failed = await signInUpToCallback(site.origin, "google", "fail").catch(() => ({ callback }));
  await redirectTarget(failed.callback);
  const forged = await signInUpToCallback(site.origin, "github", { email: "pip@people.example" });
  await redirectTarget(forged.callback.replace(/([?&]code=)[^&]*/, "$1forged"));
  const twice = "insert into users (email, email_confirmed_at) values ($1, now())";
  await expect(client.query(twice, [email.replace("wren", "WREN")])).rejects.toThrow("duplicate key");

  process.kill(await serverPid(dataDir), "SIGKILL");
  await sendForwarded(`${site.origin}/api/reviews`, { method: "PUT", headers, body });
  await sendForwarded(`${site.origin}/auth/v1/user`, { headers });
  await expect.poll(() => site.log.join("\n"), { timeout: 20_000 }).toContain("is running again");
  await ownAccountsSite.close();

  const log = site.log.join("\n");
  for (const line of ["A sign-in failed", "Request answered"]) expect(log).toContain(line);
  const databaseLog = await readFile(path.join(dataDir, "postgres.log"), "utf8");
  expect(databaseLog).toContain("duplicate key");
  const ofSignIn = [verifier, code, callbackQuery.get("code"), callbackQuery.get("state")];
  const secrets = [
    ...ofSignIn,
    access_token,
    refresh_token,
    "people.example",
    "row three",
    "127.0.0.2",
    "203.0.113.7",
  ];
  const lines = `${log}\n${databaseLog}`.split("\n");
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret ?? "")))).toEqual([]);
  // A user's id stands in the lines of security events alone.
  expect(lines.filter((line) => line.includes(wren.user.id) && !line.includes('"event":'))).toEqual([]);
});
