import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { sendReview } from "../../dev/harness/reviewers.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { Provider } from "../../src/auth/session.ts";
import { embeddedRelease } from "../../src/database/embedded/binaries.server.ts";
import {
  bearer,
  callAuth,
  fetchWithoutRedirect,
  refreshTokens,
  signIn,
  signInUpToCallback,
  statusAndCode,
} from "../support/accounts.ts";
import { runAdminProcess } from "../support/admin.ts";
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

async function grows(name: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await readMetrics(origin);
  await act();
  return increases(before, await readMetrics(origin), name);
}

const requests = "front_row_http_request_duration_seconds_count";

test("requests are counted by method, route pattern and status", async () => {
  const grown = await grows(requests, async () => {
    const pages = "/?search=cats&page=2 /?search=dogs /auth /somewhere/else /assets/none.js";
    for (const path of pages.split(" ")) await fetchWithoutRedirect(origin + path);
    await fetch(`${origin}/`, { method: "HEAD" });
    await accountsSite.site.api("/api/shows?search=cats");
    await accountsSite.site.api("/api/shows", { apikey: "wrong" });
    await accountsSite.site.api("/api/nothing");
    await callAuth(origin, "/settings");
    await callAuth(origin, "/nothing");
  });
  const counts = { "/ 200": 2, "/auth 200": 1, "/* 404": 1, "/assets/* 404": 1, "/api/shows 200": 1 };
  const others = { "/api/shows 401": 1, "/api/* 404": 1, "/auth/v1/settings 200": 1, "/auth/v1/* 404": 1 };
  const labels = Object.entries({ ...counts, ...others, "/metrics 200": 1 }).map(([name, count]) => {
    const [route, status] = name.split(" ");
    return [`{method="GET",route="${route}",status="${status}"}`, count];
  });
  const head = { '{method="HEAD",route="/",status="200"}': 1 };
  expect(grown).toEqual({ ...Object.fromEntries(labels), ...head });
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
  const google = { refused: 1, provider_email_needs_verification: 1, unexpected_failure: 1, started: 3 };
  const github = { started: 2, succeeded: 1, user_banned: 1 };
  const counted = { google, github, unknown: { bad_oauth_state: 1 } };
  const samples = Object.entries(counted).flatMap(([provider, outcomes]) =>
    Object.entries(outcomes).map(([outcome, n]) => [`{provider="${provider}",outcome="${outcome}"}`, n]),
  );
  expect(grown).toEqual(Object.fromEntries(samples));
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
  const outcomes = ["written", "deleted", "notes_too_long", "show_not_found", "not_your_review"];
  const refusals = ["authentication_required", "invalid_review"];
  const once = [...outcomes, ...refusals].map((outcome) => [`{outcome="${outcome}"}`, 1]);
  expect(grown).toEqual({ ...Object.fromEntries(once), '{outcome="rate_limited"}': 2 });
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
  expect(rows[0]?.server_version).toBe(embeddedRelease.version);
  const recorded = JSON.parse(readFileSync(new URL("../../build/version.json", import.meta.url), "utf8"));
  expect(recorded).toEqual({
    version: packageJson.version,
    commit: expect.stringMatching(/^[\da-f]{40}(-dirty)?$/),
  });
  const versions = { ...recorded, node: process.versions.node, postgresql: embeddedRelease.version };
  for (const [name, value] of Object.entries(versions)) expect(build).toContain(`${name}="${value}"`);
});

test("reports how many notes are reported and hidden, and since when the oldest report waits", async () => {
  const read = async () => {
    const metrics = await readMetrics(origin);
    return ["reports_open", "report_oldest_timestamp_seconds", "notes_hidden"].map((name) =>
      metrics.get(`front_row_${name}`),
    );
  };
  expect(await read()).toEqual([0, 0, 0]);
  const author_id = wren.user.id;
  const hidden = { notes: "My name is …", hidden_rule: "personal_data" } as const;
  await givenReview(db, { show_id: "show-7", user_id: author_id, ...hidden });
  await givenReport(db, { show_id: "show-5", author_id, opened_at: day(1), decided_at: day(2) });
  await givenReport(db, { show_id: "show-6", author_id, opened_at: day(3), objected_at: day(6) });
  await givenReport(db, { show_id: "show-7", author_id, opened_at: day(5) });
  expect(await read()).toEqual([2, day(5).getTime() / 1000, 1]);
});

test("reports the time of the last backup, once there are reviews", async () => {
  const read = async () => {
    const metrics = await readMetrics(origin);
    return ["needed", "success_timestamp_seconds"].map((name) => metrics.get(`front_row_backup_${name}`));
  };
  await givenDeleted(db, "reviews");
  expect(await read()).toEqual([0, 0]);
  await givenReview(db, { user_id: wren.user.id });
  expect(await read()).toEqual([1, 0]);
  expect((await runAdminProcess(database, ["backup", "/dev/null"])).exit).toBe(1);
  expect(await read()).toEqual([1, 0]);
  expect((await runAdminProcess(database, ["backup", "-"])).exit).toBe(0);
  const [needed, at = 0] = await read();
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
  const guarded = await openTestSite({ DATABASE_URL: database.url, METRICS_TOKEN: "let-me-see" });
  const request = (headers = {}) => fetch(`${guarded.origin}/metrics`, { headers });
  for (const Authorization of ["Bearer let-me-see", "bearer let-me-see"])
    expect((await request({ Authorization })).status).toBe(200);
  for (const Authorization of ["Bearer let-me", "Bearer let-me-see-more", "let-me-see", "Bearer", ""])
    expect((await request({ Authorization })).status).toBe(401);
  const refused = await request();
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect(await statusAndCode(refused)).toEqual([401, "metrics_token_required"]);
});

test("access to /metrics without a token needs this machine's name (DNS rebinding), and no proxy", async () => {
  for (const header of ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
    await expect(readMetrics(origin, { [header]: "127.0.0.1" })).rejects.toThrow("401");
  const statusFor = async (host: string) => (await requestWithHost(`${origin}/metrics`, host)).status;
  for (const host of ["localhost", "localhost:3000", "127.0.0.1:3000", "[::1]:3000"])
    expect(await statusFor(host)).toBe(200);
  const others = "rebound.example rebound.example:3000 127.0.0.1.rebound.example localhost.example";
  for (const host of others.split(" ")) expect(await statusFor(host)).toBe(401);
});
