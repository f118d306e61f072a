import { sql } from "kysely";
import { pino } from "pino";
import { expect, vi } from "vitest";
import { inventReviewers, liftLimits } from "../../dev/harness/reviewers.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import { signIn } from "./accounts.ts";
import { DEPLOYED_PASSWORD, startDatabaseCluster } from "./database-cluster.ts";
import { type Instances, startInstances } from "./instances.ts";
import { untilListening } from "./job-queue.ts";
import { startDeployedPgBouncer } from "./pgbouncer.ts";
import { type ProxyProgram, startDatabaseHaproxy } from "./proxies.ts";
import { readFirstPage } from "./read-list.ts";
import { createComparisons } from "./reference-list.ts";
import { startLoad } from "./steady-load.ts";

const REVIEWERS = 4_000;

export async function startFailoverEnvironment(nginx: ProxyProgram) {
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
  const instances = await startInstances(nginx, [variables, variables, variables]);
  starting.defer(instances.close);
  for (const site of instances.sites)
    await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 50 });
  await liftLimits(database.db);
  await createComparisons(database.db);
  const reviewers = await inventReviewers(database.db, instances.origin, REVIEWERS);
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
        addresses: ["/", "/?search=the&page=2", "/?interaction=yes", "/api/shows?search=a", "/auth"],
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

export async function expectScheduleAlive({ db }: Database, instances: Instances): Promise<void> {
  const polling = { timeout: 70_000, interval: 200 };
  await untilListening(db, instances.sites.length);
  const { rows } = await sql<{ since: Date }>`select now() as since`.execute(db);
  const since = rows[0]?.since ?? expect.fail();
  await sql`select graphile_worker.add_job('refresh-shows', ${JSON.stringify({ since })}::json,
    job_key => 'refresh-shows')`.execute(db);
  const succeeded = db
    .selectFrom("refreshes")
    .where("outcome", "=", "succeeded")
    .where("started_at", ">", since)
    .selectAll();
  await vi.waitUntil(async () => (await succeeded.execute()).length > 0, polling);
}
