import { execFileSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { startTrialPostgres } from "../../src/database/trial/trial-postgres.server.ts";
import { bearer, redirectTarget, signIn, signInUpToCallback } from "../support/accounts.ts";
import { type FaultEnvironment, openFaultEnvironment, submitReview } from "../support/fault-environment.ts";
import { printFigure } from "../support/print-figure.ts";
import { setUpFolder } from "../support/set-up.ts";
import { openSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
const silent = pino({ level: "silent" });
const polling = { timeout: 30_000, interval: 200 };
const folder = await setUpFolder();
const template = join(folder, "template");
const created = await startTrialPostgres({ dataDir: template, log: silent, settings });
await migrate(created.url);
await created.stop();

async function startServer({ isReplica = false, inFolder = "", port = "" } = {}) {
  const dataDir = inFolder || (await mkdtemp(join(folder, "copy-")));
  if (!inFolder) execFileSync("cp", ["-a", `${template}/.`, dataDir]); // with its owner
  if (isReplica) await writeFile(join(dataDir, "postgres/standby.signal"), "");
  const server = await startTrialPostgres({
    dataDir,
    log: silent,
    settings: { ...settings, ...(port && { port }) },
  });
  onTestFinished(server.stop);
  return { ...server, dataDir, port: new URL(server.url).port };
}

async function run(url: string, ...statements: string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const results: pg.QueryResult[] = [];
  for (const statement of statements) results.push(await client.query(statement));
  await client.end();
  return results;
}

const setReadOnly = (url: string, isReadOnly = true) =>
  run(url, `alter system set default_transaction_read_only = ${isReadOnly}`, "select pg_reload_conf()");

async function startEnvironment(url: string): Promise<FaultEnvironment> {
  const environment = await openFaultEnvironment(connectDatabase(url, silent, async () => {}));
  onTestFinished(environment.close);
  return environment;
}

/** The site's direct connections to a server, for notifications and the job queue. */
async function countConnections(url: string): Promise<number> {
  const [row] = await run(url, "select from pg_stat_activity where application_name like 'front-row-%'");
  return row?.rowCount ?? 0;
}

test("a start on a replica says so in one line, and waits for a promotion in time", async () => {
  const replica = await startServer({ isReplica: true });
  await expect(openSite({ DATABASE_URL: replica.url })).rejects.toThrow(
    /^The database at 127\.0\.0\.1:\d+\/postgres cannot be used: The database is read-only .*Check DATABASE_URL\.$/,
  );
  const starting = openSite({ DATABASE_URL: replica.url });
  await run(replica.url, "select pg_promote()");
  const site = await starting;
  expect((await fetch(`${site.origin}/`)).status).toBe(200);
  await site.stop();
});

test("a server that becomes read-only is an outage: 503, one log line, the reason at /readyz, and writes again within 5 s", async () => {
  const server = await startServer();
  const environment = await startEnvironment(server.url);
  const { site, newReviewer } = environment;
  const session = await signIn(site.origin, "github", { email: "wren@people.example" });
  expect((await submitReview(site, newReviewer())).outcome).toBe("200");
  const before = site.log.length;
  await setReadOnly(server.url);
  const isRefused = async () => (await submitReview(site, newReviewer())).outcome === "503 unavailable";
  await vi.waitUntil(isRefused, polling);
  const readiness = async () => (await fetch(`${site.origin}/readyz`)).json();
  await vi.waitUntil(async () => /read-only/.test((await readiness()).reason), polling);
  expect(await readiness()).toMatchObject({ ready: true, writing: false });
  // Until old connections are dropped, reads may still work.
  const readMine = () => site.api("/api/reviews/mine", bearer(session));
  await vi.waitUntil(async () => (await readMine()).status === 503, polling);
  const { callback } = await signInUpToCallback(site.origin, "github", { email: "wren@people.example" });
  const returned = await redirectTarget(callback);
  expect(returned.searchParams.get("error_description")).toContain("try again");
  for (const path of ["/", "/?page=2", "/api/shows"]) expect((await site.api(path)).status).toBe(200);
  await setReadOnly(server.url, false);
  const restored = performance.now();
  await vi.waitUntil(async () => (await submitReview(site, newReviewer())).outcome === "200", polling);
  const duration = performance.now() - restored;
  printFigure("a read-only server takes writes again, until a review is stored", duration, "ms");
  expect(duration).toBeLessThan(5_000);
  await vi.waitUntil(async () => (await readiness()).writing, polling);
  const lines = site.log.slice(before);
  expect(lines.filter((line) => line.includes("Nothing can be written")).join()).toMatch(/read-only/);
  expect(lines.filter((line) => /"level":50|^\s+at /.test(line))).toEqual([]);
  const lost = lines.filter((line) => line.includes("An idle database connection was lost"));
  expect(lost).toEqual([expect.stringContaining("read-only")]);
});

testRows<[string]>(1, [["stays up and takes no writes"], ["comes back as a replica"]])(
  "after a failover whose old primary %s, all connections lead to the new one within 5 s without a write",
  async (how) => {
    const server = await startServer();
    const promoted = await startServer({ isReplica: true });
    await run(promoted.url, "select pg_promote()");
    const environment = await startEnvironment(server.url);
    const { site, relay } = environment;
    await signIn(site.origin, "google", { email: "robin@people.example" });
    if (how === "comes back as a replica") {
      await server.stop();
      await startServer({ isReplica: true, inFolder: server.dataDir, port: server.port });
    } else {
      await setReadOnly(server.url);
    }
    await vi.waitUntil(() => site.log.some((line) => line.includes("The database is read-only")), polling);
    relay.redirect(promoted.url);
    const redirected = performance.now();
    const hasMoved = async () =>
      (await countConnections(server.url)) === 0 && (await countConnections(promoted.url)) > 0;
    await vi.waitUntil(hasMoved, polling);
    const duration = performance.now() - redirected;
    printFigure(`old primary ${how}, until all connections lead to the new one`, duration, "ms");
    expect(duration).toBeLessThan(5_000);
    await signIn(site.origin, "google", { email: "robin@people.example" });
    expect(site.log.filter((line) => /"level":50/.test(line))).toEqual([]);
  },
);
