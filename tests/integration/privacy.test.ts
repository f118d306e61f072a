import { readFile } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { reviewHeaders, sendReview } from "../../dev/harness/reviewers.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { reviewCleanup } from "../../src/moderation/store/review-cleanup.server.ts";
import {
  callAuth,
  exchangeCode,
  openAccountsSite,
  readSession,
  redirectTarget,
  refreshTokens,
  type SessionResponse,
  securityEvents,
  signIn,
  signInUpToCallback,
  signInUpToCode,
} from "../support/accounts.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { givenNone, givenShows } from "../support/given.ts";
import { decide } from "../support/queue.ts";
import { sendRequest } from "../support/request-with-host.ts";
import { setUpAccountsSite, setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { auditRows, storedRows } from "../support/stored.ts";
import { openTrial, serverPid } from "../support/trial.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, [{ title: "Moth Hour" }]);
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const dataDir = await setUpFolder();
afterEach(async () => {
  await givenNone(db, "users", "review_limits", "audit");
});

const reviewer = ({ user, access_token }: SessionResponse) => ({ id: user.id, token: access_token });
const unmarked = { hidden_rule: null, hidden_at: null, removal: null, removed_at: null };
const review = { show_id: "show-1", audience_interaction: "yes", notes: "Sat in row three." };

const email = "wren@people.example";

async function signInWrenWithAllData(): Promise<SessionResponse> {
  const wren = await signIn(origin, "google", { email });
  await signIn(origin, "github", { email });
  expect((await sendReview(origin, reviewer(wren), review)).status).toBe(200);
  await redirectTarget((await signInUpToCallback(origin, "google", { email })).callback);
  return wren;
}

async function tablesWith(...texts: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(db);
  const has = texts.map((text) => sql`strpos(lower(t::text), ${text.toLowerCase()}) > 0`);
  const found: string[] = [];
  for (const { name } of rows) {
    const hit = sql`select from ${sql.raw(name)} t where ${sql.join(has, sql` or `)} limit 1`;
    if ((await hit.execute(db)).rows.length > 0) found.push(name.replace("public.", ""));
  }
  return found.sort();
}

test("export-user prints all data of one user, without secrets", async () => {
  const wren = await signInWrenWithAllData();
  const pip = await signIn(origin, "google", { email: "pip@people.example" });
  await sendReview(origin, reviewer(pip), { ...review, notes: "Pip's own" });
  const { exit, out, err } = await runAdminProcess(database, ["export-user", "WREN@people.example"]);
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  const { id } = wren.user;
  const identity = { email, email_verified: true, user_id: id, created_at: at };
  const never = { banned_at: null, quarantined_at: null, dismissed_reports: 0 };
  const counted = { writes: 1, until: at };
  const lasting = { created_at: at, refreshed_at: at, expires_at: at };
  expect(JSON.parse(out)).toEqual({
    user: { id, email, email_confirmed_at: at, last_sign_in_at: at, created_at: at, ...never },
    identities: ["github", "google"].map((provider) => expect.objectContaining({ ...identity, provider })),
    sessions: ["google", "github"].map((provider) => ({ provider, ...lasting })),
    latest_sign_ins: [
      { provider: "google", returned_at: at, exchanged_at: at },
      { provider: "github", returned_at: at, exchanged_at: at },
      { provider: "google", returned_at: at, exchanged_at: null },
    ].map((signIn) => ({ ...signIn, authenticated_at: null })),
    reviews: [{ ...review, ...unmarked, title: "Moth Hour", created_at: at }],
    reports_made: [],
    reports_of_your_notes: [],
    deleted_reviews: [],
    decided_texts: [],
    writes_counted: [60, 3_600, 86_400].map((within_seconds) => ({ within_seconds, ...counted })),
    operators_notes: [],
  });
  const keys = (await storedRows(db, "sessions", ["refresh_key"])).map(({ refresh_key }) =>
    refresh_key.toString("hex"),
  );
  const ids = (await storedRows(db, "sign_ins", ["id"])).map((row) => row.id);
  for (const secret of [...keys, ...ids]) expect(out).not.toContain(secret);
});

test("delete-user leaves only the user's id in the audit log", async () => {
  const wren = await signInWrenWithAllData();
  const tables = ["identities", "review_limits", "reviews", "sessions", "sign_ins", "users"];
  expect(await tablesWith(wren.user.id, email, "row three")).toEqual(tables);
  expect((await runAdmin(database, ["delete-user", email])).exit).toBe(0);
  expect(await tablesWith(wren.user.id, email, "row three")).toEqual(["audit"]);
  expect(await tablesWith(email, "row three")).toEqual([]);
  expect((await callAuth(origin, "/user", { token: wren.access_token })).status).toBe(403);
  const notes = await accountsSite.site.api("/api/reviews?show_id=show-1");
  expect(JSON.stringify(await notes.json())).not.toContain("row three");
});

test("reports, decisions and objections are logged with ids, and without texts", async () => {
  const { site } = accountsSite;
  const wren = await signInWrenWithAllData();
  const pip = await signIn(origin, "google", { email: "pip@people.example" });
  const send = async (path: string, by: SessionResponse, body: object) => {
    const init = { method: "POST", headers: reviewHeaders(reviewer(by)), body: JSON.stringify(body) };
    expect((await fetch(origin + path, init)).status).toBe(201);
  };
  const [stored] = await storedRows(db, "reviews", ["note_id"]);
  await send("/api/reports", pip, { note_id: stored?.note_id, reason: "abusive", text: "A rude remark." });
  const [report] = await storedRows(db, "reports", ["id"]);
  const report_id = report?.id ?? "";
  await decide(db, report_id, "hide", "It is rude.");
  await send("/api/reviews/objections", wren, { show_id: review.show_id, text: "It was polite." });
  const decided = { event: "action_audited", action: "decide-report", decision: "hide", report_id };
  await expect
    .poll(() => securityEvents(site, wren.user.id).slice(-2))
    .toEqual([
      { ...decided, show_id: review.show_id, decision_id: expect.any(String) },
      { event: "objection_made", report_id },
    ]);
  const reported = { event: "note_reported", report_id, effect: "queued" };
  expect(securityEvents(site, pip.user.id).at(-1)).toEqual(reported);
  expect(site.log.join("\n")).not.toMatch(/row three|rude|polite/);
});

test("the audit log is kept for two years (docs/product.md §13.19)", async () => {
  await sql`insert into audit (at, action, details) select now() - interval '2 years' + shift, 'ban-user', '{}'
    from unnest(array[interval '-1 hour', interval '1 hour', interval '2 years']) as shift`.execute(db);
  await reviewCleanup.run({ db, payload: {}, signal: new AbortController().signal });
  expect(await auditRows(db)).toHaveLength(2);
});

const sendForwarded = (url: string, { headers, ...options }: Parameters<typeof sendRequest>[1] = {}) =>
  sendRequest(url, {
    ...options,
    headers: { "X-Forwarded-For": "203.0.113.7", ...headers },
    localAddress: "127.0.0.2",
  });

test("logs contain no e-mail, IP address, notes, token or code (docs/product.md §10.3)", async () => {
  const trial = await openTrial(dataDir);
  const ownAccountsSite = await openAccountsSite({ DATABASE_URL: trial.url, LOG_LEVEL: "trace" });
  const { site } = ownAccountsSite;
  onTestFinished(ownAccountsSite.close);
  const client = new pg.Client({ connectionString: trial.url });
  client.on("error", () => {});
  await client.connect();
  await client.query(
    `insert into shows (id, title, year, status) values ('show-1', 'Moth', ${YEAR}, 'active')`,
  );
  await client.query("notify shows_changed");
  const { callback, code, verifier } = await signInUpToCode(site.origin, "google", { email });
  const callbackQuery = new URL(callback).searchParams;
  const wren = await readSession(await exchangeCode(site.origin, code, verifier));
  const { access_token, refresh_token } = wren;
  const headers = { ...reviewHeaders(reviewer(wren)) };
  const body = { ...review, user_id: wren.user.id };
  await expect.poll(async () => (await sendReview(site.origin, reviewer(wren), review)).status).toBe(200);
  await sendForwarded(`${site.origin}/?search=${email}`);
  await sendForwarded(`${site.origin}/nowhere?token=${refresh_token}`);
  await sendForwarded(`${site.origin}/api/reviews`, { method: "PUT", headers, body });
  const invalid = { ...body, audience_interaction: "perhaps" };
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
  await ownAccountsSite.close();
  await trial.close();
  const log = site.log.join("\n");
  for (const line of ["A sign-in failed", "Request answered"]) expect(log).toContain(line);
  const databaseLog = await readFile(path.join(dataDir, "postgres.log"), "utf8");
  expect(databaseLog).toContain("duplicate key");
  const ofSignIn = [verifier, code, callbackQuery.get("code"), callbackQuery.get("state")];
  const ofVisitor = ["people.example", "row three", "127.0.0.2", "203.0.113.7"];
  const secrets = [...ofSignIn, access_token, refresh_token, ...ofVisitor];
  const lines = `${log}\n${databaseLog}`.split("\n");
  expect(lines.filter((line) => secrets.some((secret) => line.includes(secret ?? "")))).toEqual([]);
  // Only lines of security events have a user's id.
  expect(lines.filter((line) => line.includes(wren.user.id) && !line.includes('"event":'))).toEqual([]);
});
