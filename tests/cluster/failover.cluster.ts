import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, expect, test, vi } from "vitest";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { signIn } from "../support/accounts.ts";
import { DEPLOYED_PASSWORD, startDatabaseCluster } from "../support/database-cluster.ts";
import { startInstances } from "../support/instances.ts";
import { untilListening } from "../support/job-queue.ts";
import type { Machine } from "../support/machines.ts";
import { startDeployedPgBouncer } from "../support/pgbouncer.ts";
import { printFigure } from "../support/print-figure.ts";
import { findNginx, startDatabaseHaproxy } from "../support/proxies.ts";
import { readFirstPage } from "../support/read-list.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { refreshRows } from "../support/refreshes.ts";
import { expectAcknowledgedStored, type Load, startLoad } from "../support/steady-load.ts";

const environment = await startEnvironment();
afterAll(environment.close);

/** In ms. Freezes proxies for longer than the site waits for a response. */
const FROZEN_MS = 15_000;
const polling = { timeout: 120_000, interval: 50 };

async function startEnvironment() {
  await using starting = new AsyncDisposableStack();
  const cluster = await startDatabaseCluster();
  starting.defer(cluster.close);
  const haproxy = await startDatabaseHaproxy(cluster.prefix);
  starting.defer(haproxy.close);
  const direct = `postgres://frontrow:${DEPLOYED_PASSWORD}@127.0.0.1:${haproxy.port}/frontrow`;
  const pooler = await startDeployedPgBouncer(direct);
  starting.defer(pooler.close);
  const database = connectDatabase(direct, pino({ level: "silent" }), async () => {});
  starting.defer(database.close);
  const variables = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct };
  const instances = await startInstances(await findNginx(), [variables, variables, variables]);
  starting.defer(instances.close);
  for (const site of instances.sites)
    await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 50 });
  await liftLimits(database.db);
  await createComparisons(database.db);
  const reviewers = await inventReviewers(database.db, instances.origin, 4_000);
  const shows = await readFirstPage(instances.sites[0] ?? expect.fail());
  const started = starting.move();
  return {
    cluster,
    haproxy,
    pooler,
    instances,
    database,
    async startVisitors() {
      const { refresh_token } = await signIn(instances.origin, "github", { email: "robin@people.example" });
      return startLoad(instances.origin, {
        reviewers,
        writers: 4,
        showIds: shows.map(({ id }) => id),
        refreshToken: refresh_token,
        delay: 50,
      });
    },
    close: () => started.disposeAsync(),
  };
}

async function survive(what: string, breakAndRepair: (load: Load) => Promise<void>): Promise<void> {
  const { cluster, instances, database } = environment;
  await cluster.settled();
  const load = await environment.startVisitors();
  await vi.waitUntil(() => load.result.acknowledged.size > 20, polling);
  const logged = instances.sites.map(({ log }) => log.length);
  const startedAt = performance.now();
  await breakAndRepair(load);
  await cluster.settled();
  await waitUntilWritten(load);
  const result = await load.stop();
  printFigure(`${what}, reads and writes answered`, result.responses, "responses");
  printFigure(`${what}, slowest read`, result.slowestRead, "ms");
  printFigure(`${what}, refused reviews`, result.unavailable.size, "reviews");
  const failures = Object.entries(result.failures);
  expect(failures.filter(([failure]) => failure.startsWith("GET"))).toEqual([]);
  expect(failures.filter(([failure]) => !/ 503 /.test(failure))).toEqual([]);
  expect(result.refused).toBe(0);
  await expectAcknowledgedStored(database, result);
  await untilRefreshed();
  await expectServersMatchDatabase(database.db, instances.sites);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const [index, { log }] of instances.sites.entries()) {
    const lines = log.slice(logged[index]);
    const perMinute = (lines.length / seconds) * 60;
    printFigure(`${what}, log lines of instance ${index + 1} a minute`, perMinute, "lines");
    expect(lines.filter((line) => !line.startsWith("{") || /\\n\s+at |"level":50/.test(line))).toEqual([]);
    // One line a second, and the lines of the failover itself.
    expect(lines.length, lines.join("\n")).toBeLessThan(seconds + 10);
  }
}

/** Waits until the job queue has run a refresh. */
async function untilRefreshed(): Promise<void> {
  const { db } = environment.database;
  await untilListening(db, environment.instances.sites.length);
  const since = new Date();
  await sql`select graphile_worker.add_job('refresh-shows', ${JSON.stringify({ since })}::json,
    job_key => 'refresh-shows')`.execute(db);
  const succeeded = async () =>
    (await refreshRows(db)).filter(
      ({ outcome, started_at }) => outcome === "succeeded" && started_at > since,
    );
  await vi.waitUntil(async () => (await succeeded()).length > 0, polling);
}

/** Waits until all writers get a review acknowledged. Resolves with the time, in ms. */
async function waitUntilWritten({ result }: Load): Promise<number> {
  const startedAt = performance.now();
  const before = result.acknowledged.size;
  await vi.waitUntil(() => result.acknowledged.size > before + 10, polling);
  return performance.now() - startedAt;
}

/** Breaks the primary and waits until the other database takes writes. Resolves with the old primary. */
async function failOver(what: string, load: Load, breakPrimary: (primary: Machine) => Promise<unknown>) {
  const { cluster } = environment;
  const { primary, standby } = await cluster.settled();
  const startedAt = performance.now();
  await breakPrimary(primary);
  await vi.waitUntil(async () => (await cluster.primaryName()) === standby.name, polling);
  await waitUntilWritten(load);
  printFigure(`${what}, until the other database takes reviews`, performance.now() - startedAt, "ms");
  return primary;
}

test.each<[what: string, breakPrimary: (primary: Machine) => Promise<unknown>, repair: (broken: Machine) => unknown]>([
  ["switchover", () => environment.cluster.switchover(), () => {}],
  // The whole machine is killed, and boots again later.
  ["kill -9 of the primary's machine", (primary) => primary.signal("SIGKILL"), (killed) => environment.cluster.boot(killed)],
  ["kill -9 of PostgreSQL", (primary) => primary.run("root", ["pkill", "-KILL", "postgres"]), () => {}],
  ["frozen primary", (primary) => primary.signal("SIGSTOP"), (frozen) => frozen.signal("SIGCONT")],
  // Unplugged from all machines, and plugged in again later.
  ["primary cut off", (primary) => primary.unplug(), (cutOff) => cutOff.plug()],
])("%s", async (what, breakPrimary, repair) => {
  await survive(what, async (load) => {
    await repair(await failOver(what, load, breakPrimary));
  });
}); // biome-ignore format: a table of faults

test("the standby freezes, and commits wait for it until it is removed", async () => {
  const what = "frozen standby";
  await survive(what, async (load) => {
    const { standby } = await environment.cluster.settled();
    await standby.signal("SIGSTOP");
    const waited = await waitUntilWritten(load);
    printFigure(`${what}, until reviews are taken without it`, waited, "ms");
    await standby.signal("SIGCONT");
  });
});

test.each(["haproxy", "pooler"] as const)("the database's %s freezes for a while", async (name) => {
  await survive(`frozen ${name}`, async () => {
    environment[name].signal("SIGSTOP");
    await pause(FROZEN_MS);
    environment[name].signal("SIGCONT");
  });
});
