import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import packageJson from "../../package.json" with { type: "json" };
import { recordBackup } from "../../src/database/backups-table.server.ts";
import type { Provider } from "../../src/domain/account.ts";
import {
  bearer,
  callAuth,
  fetchWithoutRedirect,
  refreshTokens,
  signIn,
  signInUpToCallback,
  statusAndCode,
} from "../support/accounts.ts";
import {
  givenChanged,
  givenDeleted,
  givenRefresh,
  givenReport,
  givenReview,
  givenShows,
} from "../support/given.ts";
import { increases, readMetrics } from "../support/metrics.ts";
import type { ProviderChoice } from "../support/provider-sign-in.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { openTestSite, setUpAccountsSite, setUpDatabase, setUpRelay } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;
await givenShows(db, 7);
const day = (number: number) => new Date(Date.UTC(2025, 7, number));
await givenRefresh(db, { started_at: day(1), finished_at: day(1) });
await givenRefresh(db, { started_at: day(2), finished_at: day(2), outcome: "refused" });
const relay = await setUpRelay(database);
const accountsSite = await setUpAccountsSite(database);
const { origin } = accountsSite.site;
const wren = await signIn(origin, "google", { email: "wren@people.example" });

/** The increases of a metric meanwhile, by the values of its labels: `GET / 200`. */
async function grows(name: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await readMetrics(origin);
  await act();
  const grown = Object.entries(increases(before, await readMetrics(origin), name));
  const valuesOf = (labels: string) => [...labels.matchAll(/="(.*?)"/g)].map(([, value]) => value).join(" ");
  return Object.fromEntries(grown.map(([labels, by]) => [valuesOf(labels), by]));
}

async function read(...names: string[]): Promise<(number | undefined)[]> {
  const metrics = await readMetrics(origin);
  return names.map((name) => metrics.get(`front_row_${name}`));
}

test("refreshes with gaps are counted, of whatever process", async () => {
  const counts = [];
  for (const gap of [3, 0, null, 1, 40]) {
    await givenRefresh(db, { gap });
    counts.push(...(await read("refresh_gaps_total")));
  }
  expect(counts).toEqual([1, 1, 1, 2, 3]);
});

test("requests are counted by method, route pattern and status", async () => {
  const grown = await grows("front_row_http_request_duration_seconds_count", async () => {
    const pages = "/?search=cats&page=2 /?search=dogs /auth /somewhere/else /assets/none.js";
    for (const path of pages.split(" ")) await fetchWithoutRedirect(origin + path);
    await fetch(`${origin}/`, { method: "HEAD" });
    await accountsSite.site.api("/api/shows?search=cats");
    await accountsSite.site.api("/api/shows", { apikey: "wrong" });
    await accountsSite.site.api("/api/nothing");
    await callAuth(origin, "/settings");
    await callAuth(origin, "/nothing");
  });
  expect(grown).toEqual({
    ...{ "GET / 200": 2, "HEAD / 200": 1, "GET /auth 200": 1, "GET /* 404": 1, "GET /assets/* 404": 1 },
    ...{ "GET /api/shows 200": 1, "GET /api/shows 401": 1, "GET /api/* 404": 1, "GET /metrics 200": 1 },
    ...{ "GET /auth/v1/settings 200": 1, "GET /auth/v1/* 404": 1 },
  });
});

test("requests add no labels for unknown paths and methods", async () => {
  const scan = async (name: string) => {
    const paths = [name, `${name}/wp-admin.php`, `api/${name}`, `auth/v1/${name}`, `assets/${name}.js`];
    for (const path of paths) await fetchWithoutRedirect(`${origin}/${path}?${name}=${name}`);
    for (const method of ["PROPFIND", "MKCALENDAR"]) await fetch(`${origin}/${name}`, { method });
  };
  const labels = async () =>
    [...(await readMetrics(origin)).keys()].filter((sample) => sample.startsWith("front_row_"));
  await scan("first");
  const known = await labels();
  for (let n = 0; n < 20; n++) await scan(`scan-${n}`);
  expect(await labels()).toEqual(known);
});

test("sign-ins are counted by provider when they start, when they succeed, and by the reason of a failure", async () => {
  const callbackOf = async (...at: [Provider, ProviderChoice]) =>
    (await signInUpToCallback(origin, ...at)).callback;
  const grown = await grows("front_row_sign_ins_total", async () => {
    await signIn(origin, "github", { email: "pip@people.example" });
    const denied = await callbackOf("google", "deny");
    for (const url of [denied, denied, denied.replace("state=", "state=x")]) await fetchWithoutRedirect(url);
    await fetchWithoutRedirect(await callbackOf("google", { email: "new@people.example", verified: false }));
    await givenChanged(db, "users", { banned_at: new Date() }, { email: "pip@people.example" });
    await fetchWithoutRedirect(await callbackOf("github", { email: "pip@people.example" }));
    const forged = await callbackOf("google", { email: "wren@people.example" });
    await fetchWithoutRedirect(forged.replace(/([?&]code=)[^&]*/, "$1forged"));
  });
  expect(grown).toEqual({
    ...{ "google started": 3, "google refused": 1, "google provider_email_needs_verification": 1 },
    ...{ "google unexpected_failure": 1, "unknown bad_oauth_state": 1 },
    ...{ "github started": 2, "github succeeded": 1, "github user_banned": 1 },
  });
});

test("counts reviews as written or deleted, or by the error code of the refusal", async () => {
  const me = { id: wren.user.id, token: wren.access_token };
  const review = { show_id: "show-1", audience_interaction: "yes" };
  const grown = await grows("front_row_reviews_total", async () => {
    await sendReview(origin, me, review);
    await sendReview(origin, me, { ...review, notes: "x".repeat(1_001) });
    await sendReview(origin, me, { ...review, show_id: "gone" });
    await sendReview(origin, { ...me, id: crypto.randomUUID() }, review);
    await sendReview(origin, { ...me, token: "none" }, review);
    await sendReview(origin, me, { ...review, audience_interaction: "a lot" });
    const init = { method: "DELETE" };
    await accountsSite.site.api("/api/reviews?show_id=show-1", bearer(wren), init);
    await sendReview(origin, me, { ...review, show_id: "show-2" });
    await sendReview(origin, me, review);
  });
  expect(grown).toEqual({
    ...{ written: 1, deleted: 1, notes_too_long: 1, show_not_found: 1, not_your_review: 1 },
    ...{ authentication_required: 1, invalid_review: 1, rate_limited: 2 },
  });
});

test("reports catalogue, last refreshes, database connections, process and version", async () => {
  const metrics = await readMetrics(origin);
  const expected = {
    front_row_catalogue_shows: 7,
    front_row_catalogue_tallies_known: 1,
    'front_row_refresh_outcome{outcome="succeeded"}': 1,
    'front_row_refresh_outcome{outcome="refused"}': 0,
    front_row_database_up: 1,
    front_row_database_connections_max: 10,
    front_row_database_waiting: 0,
  };
  expect(Object.fromEntries(metrics)).toMatchObject(expected);
  for (const name of ["catalogue_read", "refresh_finished", "refresh_success"]) {
    const seconds = metrics.get(`front_row_${name}_timestamp_seconds`) ?? 0;
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(600);
  }
  expect(metrics.get('front_row_database_connections{state="idle"}')).toBeGreaterThan(0);
  expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(metrics.has("nodejs_eventloop_lag_p99_seconds")).toBe(true);
  const build = [...metrics.keys()].find((sample) => sample.startsWith("front_row_build_info{"));
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db);
  const recorded = JSON.parse(readFileSync(new URL("../../build/version.json", import.meta.url), "utf8"));
  const commit = expect.stringMatching(/^[\da-f]{40}(-dirty)?$/);
  expect(recorded).toEqual({ version: packageJson.version, commit });
  const versions = { ...recorded, node: process.versions.node, postgresql: rows[0]?.server_version };
  for (const [name, value] of Object.entries(versions)) expect(build).toContain(`${name}="${value}"`);
});

test("reports how many notes are reported and hidden, and since when the oldest report waits", async () => {
  const figures = ["reports_open", "report_oldest_timestamp_seconds", "notes_hidden"];
  expect(await read(...figures)).toEqual([0, 0, 0]);
  const author_id = wren.user.id;
  const hidden = { notes: "My name is …", hidden_rule: "personal_data" } as const;
  await givenReview(db, { show_id: "show-7", user_id: author_id, ...hidden });
  await givenReport(db, { show_id: "show-5", author_id, opened_at: day(1), decided_at: day(2) });
  await givenReport(db, { show_id: "show-6", author_id, opened_at: day(3), objected_at: day(6) });
  await givenReport(db, { show_id: "show-7", author_id, opened_at: day(5) });
  expect(await read(...figures)).toEqual([2, day(5).getTime() / 1000, 1]);
});

test("reports the time of the last backup, once there are reviews", async () => {
  const figures = ["backup_needed", "backup_success_timestamp_seconds"];
  await givenDeleted(db, "reviews");
  expect(await read(...figures)).toEqual([0, 0]);
  await givenReview(db, { user_id: wren.user.id });
  expect(await read(...figures)).toEqual([1, 0]);
  await recordBackup(db);
  const [needed, at = 0] = await read(...figures);
  expect([needed, Math.abs(at - Date.now() / 1000) < 60]).toEqual([1, true]);
});

test("reports everything else, and the last known refreshes, during a database outage", async () => {
  await givenRefresh(db, { outcome: "refused" });
  const { origin } = await openTestSite({ DATABASE_URL: relay.url });
  const before = await readMetrics(origin);
  expect(before.get('front_row_refresh_outcome{outcome="refused"}')).toBe(1);
  const lastKnown = ["success", "finished"].map((name) => `front_row_refresh_${name}_timestamp_seconds`);
  for (const name of lastKnown) expect(before.get(name)).toBeGreaterThan(Date.now() / 1000 - 600);
  relay.cut();
  const during = await vi.waitFor(async () => {
    const metrics = await readMetrics(origin);
    expect(metrics.get("front_row_database_up")).toBe(0);
    return metrics;
  }, 10_000);
  expect(during.get("front_row_catalogue_shows")).toBe(7);
  for (const name of lastKnown) expect(during.get(name)).toBe(before.get(name));
});

test("contains no personal data", async () => {
  await refreshTokens(origin, wren.refresh_token);
  await fetchWithoutRedirect(`${origin}/?search=someone@people.example`);
  const text = await (await fetch(`${origin}/metrics`)).text();
  for (const secret of ["people.example", wren.user.id, "127.0.0.1", "show-1", wren.refresh_token])
    expect(text).not.toContain(secret);
});

test("access to /metrics with a token set requires that token", async () => {
  const guarded = await openTestSite({ DATABASE_URL: database.url, METRICS_TOKEN: "let-me-see-them-all" });
  const request = (headers = {}) => fetch(`${guarded.origin}/metrics`, { headers });
  for (const Authorization of ["Bearer let-me-see-them-all", "bearer let-me-see-them-all"])
    expect((await request({ Authorization })).status).toBe(200);
  for (const Authorization of [
    "Bearer let-me-see",
    "Bearer let-me-see-them-all-too",
    "let-me-see-them-all",
    "Bearer",
    "",
  ])
    expect((await request({ Authorization })).status).toBe(401);
  const refused = await request();
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect(await statusAndCode(refused)).toEqual([401, "metrics_token_required"]);
});

test("access to /metrics without a token needs a connection of this machine, under any name, and no proxy", async () => {
  for (const header of ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
    await expect(readMetrics(origin, { [header]: "127.0.0.1" })).rejects.toThrow("401");
  const statusFor = async (host: string) => (await requestWithHost(`${origin}/metrics`, host)).status;
  const hosts = "localhost:3000 [::1]:3000 front-row.example front-row.internal:9090 10.0.0.7";
  for (const host of hosts.split(" ")) expect(await statusFor(host)).toBe(200);
  const proxied = { headers: { "X-Real-IP": "::1" } };
  for (const host of ["localhost", "127.0.0.1:3000"])
    expect((await requestWithHost(`${origin}/metrics`, host, proxied)).status).toBe(401);
});
