import { describe, expect, onTestFinished, test, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import { type AccountsSite, signIn, startAccountsSite } from "../support/accounts.ts";
import { runAdminProcess } from "../support/admin.ts";
import { startRelay } from "../support/database-relay.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { createEmptyDatabase, createTestDatabase } from "../support/postgres.ts";
import { readFirstPage } from "../support/read-list.ts";
import { festivalSettings, refreshRows, startSmallFestival } from "../support/refreshes.ts";
import { type Site, startSite } from "../support/site.ts";
import { storedRows } from "../support/stored.ts";

async function startPooler(...settings: string[]) {
  const database = await createEmptyDatabase();
  onTestFinished(database.close);
  const pooler = await startPgBouncer(database.url, ...settings);
  onTestFinished(pooler.close);
  return { database, pooler };
}

async function startSites(variables: Record<string, string>): Promise<{ first: AccountsSite; second: Site }> {
  const { fake } = await startSmallFestival(60);
  onTestFinished(fake.close);
  const first = await startAccountsSite({ ...variables, ...festivalSettings(fake) });
  onTestFinished(first.close);
  const second = await startSite({ ...first.variables });
  onTestFinished(async () => void (await second.stop()));
  for (const site of [first.site, second])
    await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 50 });
  return { first, second };
}

/** What a site prints that must not start. */
const startOutput = (variables: Record<string, string>): Promise<string> =>
  startSite(variables).then(
    (site) => site.stop().then(() => "It started"),
    (error: Error) => error.message.split("\n").slice(1).join("\n"),
  );

const isErrorOrTrace = (line: string) => /"level":50|^\s+at |prepared statement/.test(line);

describe("behind PgBouncer", () => {
  test.each([
    ["session mode", ["default_pool_size = 40"]],
    ["session mode, with connections in turn", ["default_pool_size = 60", "server_round_robin = 1"]],
  ])("in %s, two sites refresh, sign in, store reviews and notify each other", async (_mode, settings) => {
    const { database, pooler } = await startPooler(...settings);
    await exerciseSites(await startSites({ DATABASE_URL: pooler.url }), database);
  });

  test("in session mode, one site fits into Debian's settings", async () => {
    const { database, pooler } = await startPooler();
    const site = await startSite({ DATABASE_URL: pooler.url });
    onTestFinished(async () => void (await site.stop()));
    const reviewers = await inventReviewers(database.db, site.origin, 10);
    const ask = ({ token }: { token: string }) =>
      site.api("/api/reviews/mine", { Authorization: `Bearer ${token}` });
    const statuses = (await Promise.all(reviewers.map(ask))).map(({ status }) => status);
    expect(statuses).toEqual(Array(10).fill(200));
    expect(site.log.filter(isErrorOrTrace)).toEqual([]);
  });

  const otherDefaults = ["DateStyle = 'German'", "default_transaction_isolation = 'repeatable read'"];
  test.each<[string, string[], string[]]>([
    ["Debian's pool size", [], []],
    ["few connections", ["default_pool_size = 3"], []],
    ["connections in turn", ["server_round_robin = 1", "default_pool_size = 8"], []],
    ["dates and transactions of another kind", ["server_round_robin = 1"], otherDefaults],
  ])("in transaction mode with DATABASE_DIRECT_URL, they do the same: %s", async (_, settings, defaults) => {
    const { database, pooler } = await startPooler("pool_mode = transaction", ...settings);
    const name = new URL(database.url).pathname.slice(1);
    for (const setting of defaults) await database.pool.query(`alter database ${name} set ${setting}`);
    const variables = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url };
    await exerciseSites(await startSites(variables), database);
  });

  test.each([
    ["transaction mode", ["pool_mode = transaction"]],
    ["transaction mode, connections in turn", ["pool_mode = transaction", "server_round_robin = 1"]],
    ["statement mode", ["pool_mode = statement"]],
  ])("in %s alone, the start is refused in one line", async (_mode, settings) => {
    const { pooler } = await startPooler(...settings);
    const output = await startOutput({ DATABASE_URL: pooler.url });
    expect(output).toMatch(/pooler.* Set DATABASE_DIRECT_URL|statement pooling mode\. Check DATABASE_URL\.$/);
    expect(output.split("\n")).toHaveLength(1);
  });

  test("a DATABASE_DIRECT_URL that leads elsewhere, or through the pooler too, is refused in one line", async () => {
    const { database, pooler } = await startPooler("pool_mode = transaction");
    const other = await createTestDatabase();
    onTestFinished(other.close);
    for (const direct of [other.url, pooler.url.replace("127.0.0.1", "localhost")]) {
      const output = await startOutput({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct });
      expect(output).toMatch(/^DATABASE_DIRECT_URL \(.* does not get the notifications .*$/);
    }
    const unavailable = database.url.replace(/:\d+\//, ":9/");
    const output = await startOutput({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: unavailable });
    expect(output.split("\n").at(-1)).toMatch(/^The database at .*Check DATABASE_DIRECT_URL\.$/);
  });

  test.each([
    ["session", "the database becomes unavailable"],
    ["transaction", "the database becomes unavailable"],
    ["session", "the pooler is killed and started again"],
    ["transaction", "the pooler is killed and started again"],
  ])("in %s mode, when %s, reads work, writes get 503, and all recovers", async (mode, what) => {
    const database = await createEmptyDatabase();
    onTestFinished(database.close);
    const relay = await startRelay(database.url);
    onTestFinished(relay.close);
    const settings = ["server_login_retry = 1", "query_wait_timeout = 3"];
    const pooler = await startPgBouncer(relay.url, `pool_mode = ${mode}`, ...settings);
    onTestFinished(pooler.close);
    const variables: Record<string, string> = { DATABASE_URL: pooler.url };
    if (mode === "transaction") variables.DATABASE_DIRECT_URL = relay.url;
    const { first, second } = await startSites(variables);
    const reviewers = await inventReviewers(database.db, first.site.origin, 200);
    const [show] = await readFirstPage(second);
    const send = async (site: Site) => {
      const reviewer = reviewers.pop() ?? expect.fail("No reviewer is left");
      const review = { show_id: show?.id ?? "", audience_interaction: "no" } as const;
      return (await sendReview(site.origin, reviewer, review)).status;
    };
    expect(await send(first.site)).toBe(200);
    if (what === "the database becomes unavailable") {
      relay.cut();
      for (const site of [first.site, second])
        expect([await send(site), (await site.api("/api/shows?search=a")).status]).toEqual([503, 200]);
      relay.restore();
    } else await pooler.restart();
    for (const site of [first.site, second])
      await vi.waitUntil(async () => (await send(site)) === 200, { timeout: 30_000, interval: 200 });
    const { length: stored } = await storedRows(database.db, "reviews", ["user_id"]);
    for (const site of [first.site, second]) {
      const listed = async () => (await readFirstPage(site))[0]?.reviews?.no;
      await vi.waitUntil(async () => (await listed()) === stored, { timeout: 30_000, interval: 50 });
      expect(site.log.filter((line) => /"level":50.*"path"/.test(line))).toEqual([]);
    }
  });

  test("operator commands use only DATABASE_DIRECT_URL", async () => {
    const database = await createTestDatabase();
    onTestFinished(database.close);
    const unavailable = { url: "postgres://nobody@127.0.0.1:9/nothing" };
    const ran = await runAdminProcess(unavailable, ["queue-links"], "", {
      DATABASE_DIRECT_URL: database.url,
    });
    expect(ran).toMatchObject({ exit: 0 });
  });
});

async function exerciseSites(
  { first, second }: Awaited<ReturnType<typeof startSites>>,
  database: Awaited<ReturnType<typeof createEmptyDatabase>>,
): Promise<void> {
  const { origin } = first.site;
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "succeeded" }]);
  await signIn(origin, "google", { email: "wren@people.example" });
  const [show] = await readFirstPage(second);
  const reviewers = await inventReviewers(database.db, origin, 50);
  // Ten at once, as many as the pool has connections; more would be shed on a busy machine.
  const review = { show_id: show?.id ?? "", audience_interaction: "yes" } as const;
  for (let round = 0; round < 50; round += 10) {
    const sent = reviewers.slice(round, round + 10).map((each) => sendReview(origin, each, review));
    const refused = (await Promise.all(sent)).filter(({ status }) => status !== 200);
    expect(await Promise.all(refused.map((response) => response.text())), first.site.log.join("\n")).toEqual(
      [],
    );
  }
  for (const site of [first.site, second]) {
    await vi.waitUntil(async () => (await readFirstPage(site))[0]?.reviews?.yes === 50, {
      timeout: 5_000,
      interval: 20,
    });
    expect(site.log.filter(isErrorOrTrace)).toEqual([]);
  }
}
