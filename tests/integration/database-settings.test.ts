import { afterAll, expect, onTestFinished, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { openAccountsSite, signIn } from "../support/accounts.ts";
import { createOwnedDatabase } from "../support/postgres.ts";
import { readFirstPage } from "../support/read-list.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { testRows } from "../support/test-rows.ts";

const { fake: festival } = await startSmallFestival(40);
afterAll(festival.close);

const forms = `DateStyle = 'SQL, YMD'; IntervalStyle = 'sql_standard'; TimeZone = 'Asia/Kathmandu';
  standard_conforming_strings = off; bytea_output = 'escape'; extra_float_digits = -12;
  client_encoding = 'LATIN1'; quote_all_identifiers = on; xmloption = document`;
const limits = `default_transaction_isolation = 'serializable'; lock_timeout = 1;
  idle_session_timeout = 1000; statement_timeout = 5000`;

testRows<[string, string, string]>(2, [
  ["dates and texts in other forms", "wordsmith", forms],
  ["stricter transactions and limits", "warden", limits],
  ["German dates", "berliner", "DateStyle = 'German'; TimeZone = 'Europe/Berlin'"],
  ["dates as POSTGRES had them", "veteran", "DateStyle = 'Postgres, MDY'; IntervalStyle = 'iso_8601'"],
])("with %s, the site migrates, refreshes, signs in, stores and lists reviews", async (_, role, settings) => {
  const { database, url, scope, close } = await createOwnedDatabase(role);
  onTestFinished(close);
  for (const setting of settings.split(";")) await database.pool.query(`alter role ${scope} set ${setting}`);
  const accounts = await openAccountsSite({ DATABASE_URL: url, ...festivalSettings(festival) });
  onTestFinished(accounts.close);
  const { site } = accounts;
  await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 50 });
  await signIn(site.origin, "github", { email: "linnet@people.example" });
  const [show] = await readFirstPage(site);
  // At once, for the same show: under serializable isolation all but one would fail.
  const review = { show_id: show?.id ?? "", audience_interaction: "yes", notes: "A \\ in it" };
  const reviewers = await inventReviewers(database.db, site.origin, 8);
  const sent = reviewers.map((reviewer) => sendReview(site.origin, reviewer, review));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200));
  await vi.waitUntil(async () => (await readFirstPage(site))[0]?.reviews?.yes === 8, 10_000);
  const readiness = await fetch(`${site.origin}/readyz`);
  expect(readiness.status).toBe(200);
  expect(await readiness.json()).toMatchObject({ database: "up", writing: true, reason: null });
  expect(site.log.filter((line) => /"level":(40|50)|^\s+at /.test(line))).toEqual([]);
});
