import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { openAccountsSite, signIn } from "../support/accounts.ts";
import { createOwnedDatabase } from "../support/postgres.ts";
import { readFirstPage } from "../support/read-list.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { openTestSite } from "../support/set-up.ts";
import type { Site } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const { fake: festival } = await startSmallFestival(40);
afterAll(festival.close);

async function createOwned(role: string) {
  const owned = await createOwnedDatabase(role);
  onTestFinished(owned.close);
  return owned;
}

async function startWithFestival(url: string): Promise<Site> {
  const accountsSite = await openAccountsSite({ DATABASE_URL: url, ...festivalSettings(festival) });
  onTestFinished(accountsSite.close);
  return accountsSite.site;
}

const readiness = async (site: Site) => {
  const response = await fetch(`${site.origin}/readyz`);
  return { status: response.status, ...(await response.json()) };
};

const warnings = (site: Site) => site.log.filter((line) => /"level":(40|50)|^\s+at /.test(line));

testRows<[string, string, readonly string[]]>(2, [
  [
    "dates and texts in other forms",
    "wordsmith",
    [
      ...["DateStyle = 'SQL, YMD'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Kathmandu'"],
      ...["standard_conforming_strings = off", "bytea_output = 'escape'", "extra_float_digits = -12"],
      ...["client_encoding = 'LATIN1'", "quote_all_identifiers = on", "xmloption = document"],
    ],
  ],
  [
    "stricter transactions and limits",
    "warden",
    [
      ...["default_transaction_isolation = 'serializable'", "lock_timeout = 1"],
      ...["idle_session_timeout = 1000", "statement_timeout = 5000"],
    ],
  ],
  ["German dates", "berliner", ["DateStyle = 'German'", "TimeZone = 'Europe/Berlin'"]],
  ["dates as POSTGRES had them", "veteran", ["DateStyle = 'Postgres, MDY'", "IntervalStyle = 'iso_8601'"]],
])("with %s, the site migrates, refreshes, signs in, stores and lists reviews", async (_, role, settings) => {
  const { database, url, scope } = await createOwned(role);
  for (const setting of settings) await database.pool.query(`alter role ${scope} set ${setting}`);
  const site = await startWithFestival(url);
  await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 50 });
  await signIn(site.origin, "github", { email: "linnet@people.example" });
  const [show] = await readFirstPage(site);
  // At once, for the same show: under serializable isolation all but one would fail.
  const review = { show_id: show?.id ?? "", audience_interaction: "yes", notes: "A \\ in it" };
  const reviewers = await inventReviewers(database.db, site.origin, 8);
  const sent = reviewers.map((reviewer) => sendReview(site.origin, reviewer, review));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200));
  await vi.waitUntil(async () => (await readFirstPage(site))[0]?.reviews?.yes === 8, 10_000);
  expect(await readiness(site)).toMatchObject({ status: 200, database: "up", writing: true, reason: null });
  expect(warnings(site)).toEqual([]);
});

test("while transactions are read-only, /readyz stays 200, and it and the log say why nothing is written", async () => {
  const [role, reason] = ["tenant_farmer", /read-only/];
  const { database, url, scope } = await createOwned(role);
  const site = await openTestSite({ DATABASE_URL: url });
  const [reviewer] = await inventReviewers(database.db, site.origin, 1);
  const review = { show_id: "none", audience_interaction: "no" };
  const write = async () => (await sendReview(site.origin, reviewer ?? expect.fail(), review)).status;
  const reconnect = async (statement: string) => {
    await database.pool.query(`alter role ${scope} ${statement}`);
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
    );
  };
  expect([await write(), (await readiness(site)).writing]).toEqual([404, true]);
  await reconnect("set default_transaction_read_only = on");
  const polling = { timeout: 20_000, interval: 100 };
  await vi.waitUntil(async () => reason.test((await readiness(site)).reason), polling);
  expect(await readiness(site)).toMatchObject({ status: 200, ready: true, writing: false });
  expect(await write()).toBe(503);
  const warned = warnings(site).filter((line) => line.includes("Nothing can be written"));
  expect(warned.join()).toMatch(reason);
  await reconnect("reset default_transaction_read_only");
  await vi.waitUntil(async () => (await readiness(site)).writing, polling);
  expect(await write()).toBe(404);
});
