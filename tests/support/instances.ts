import { sql } from "kysely";
import { vi } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type Relay, startRelay } from "./database-relay.ts";
import { startNginx } from "./nginx.ts";
import { startSmallFestival } from "./refreshes.ts";
import { type Site, startSite } from "./site.ts";

/** Three instances of the site on one database, behind nginx, as docs/operations.md has it. */
export interface Instances {
  /** Where visitors ask: nginx. */
  origin: string;
  /** The instances themselves; the last one's way to the database is `relay`. */
  sites: Site[];
  relay: Relay;
  festival: FakeFestivalApi;
  /** Stops an instance as systemd does, and starts it again; resolves with its exit code when it answers. */
  restart(index: number): Promise<Awaited<ReturnType<Site["stop"]>>>;
  close(): Promise<void>;
}

/** Starts all three at once. */
export async function startInstances(database: Database, nginx: string): Promise<Instances> {
  await using starting = new AsyncDisposableStack();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const fakeProviders = await startFakeIdentityProviders(origin);
  starting.defer(fakeProviders.close);
  const { fake: festival } = await startSmallFestival(60);
  starting.defer(festival.close);
  const relay = await startRelay(database.url);
  starting.defer(relay.close);
  const common = {
    ...fakeProviders.variables,
    ORIGIN: origin,
    TRUSTED_PROXIES: "127.0.0.1",
    FESTIVAL_API_URL: festival.url,
    FESTIVAL_API_KEY: festival.key,
    FESTIVAL_API_SECRET: festival.secret,
  };
  const urls = [database.url, database.url, relay.url];
  const variables = await Promise.all(
    urls.map(async (url) => ({ ...common, DATABASE_URL: url, PORT: String(await freePort()) })),
  );
  const sites: Site[] = [];
  starting.defer(async () => void (await Promise.all(sites.map((site) => site.stop()))));
  const start = async (one: Record<string, string>, index: number) => {
    sites[index] = await startSite(one);
  };
  await Promise.all(variables.map(start));
  const balancer = await startNginx(
    nginx,
    port,
    variables.map(({ PORT }) => PORT),
  );
  starting.defer(balancer.close);
  const started = starting.move();
  return {
    origin,
    sites,
    relay,
    festival,
    async restart(index) {
      const code = (await sites[index]?.stop()) ?? null;
      const again = variables[index];
      if (again) await start(again, index);
      return code;
    },
    close: () => started.disposeAsync(),
  };
}

/** Waits until every instance's schedule runs, and none has anything left to do: what waits for another try is tried now. */
export async function waitUntilJobsDone({ db }: Database, { sites }: Instances): Promise<void> {
  const listening = sql`select from pg_stat_activity where application_name = 'front-row-schedule'
    and datname = current_database() and query ilike 'listen%' and state = 'idle'`;
  const jobs = sql`select from graphile_worker._private_jobs where attempts < max_attempts`;
  const patience = { timeout: 60_000, interval: 50 };
  await vi.waitUntil(async () => (await listening.execute(db)).rows.length === sites.length, patience);
  await vi.waitUntil(async () => {
    if ((await jobs.execute(db)).rows.length === 0) return true;
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
    await sql`select pg_notify('jobs:insert', '{"count":1}')`.execute(db);
    return false;
  }, patience);
}
