import { vi } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type Relay, startRelay } from "./database-relay.ts";
import { makeJobsDue, pendingJobs, untilListening } from "./job-queue.ts";
import type { ProxyProgram } from "./proxies.ts";
import { festivalSettings, startSmallFestival } from "./refreshes.ts";
import { type SiteProcess, startSite } from "./site.ts";

/** Instances of the site on one database behind nginx, as docs/operations.md describes. */
export interface Instances {
  /** nginx's origin, which visitors use. */
  origin: string;
  sites: SiteProcess[];
  festival: FakeFestivalApi;
  /**
   * Restarts an instance as systemd does. Resolves with the old process's exit code once the new one is
   * ready.
   */
  restart(index: number): Promise<Awaited<ReturnType<SiteProcess["stop"]>>>;
  close(): Promise<void>;
}

/** Three instances, of which the last one reaches the database through `relay`. */
export interface InstancesOnRelay extends Instances {
  relay: Relay;
}

/** Starts all three simultaneously. */
export async function startInstances(database: Database, nginx: ProxyProgram): Promise<InstancesOnRelay> {
  await using starting = new AsyncDisposableStack();
  const relay = await startRelay(database.url);
  starting.defer(relay.close);
  const databases = [database.url, database.url, relay.url].map((url) => ({ DATABASE_URL: url }));
  const instances = await startInstancesOn(databases, nginx);
  starting.defer(instances.close);
  const started = starting.move();
  return { ...instances, relay, close: () => started.disposeAsync() };
}

/** Starts them simultaneously. @param databases each instance's variables that lead to the database */
export async function startInstancesOn(
  databases: readonly Record<string, string>[],
  nginx: ProxyProgram,
): Promise<Instances> {
  await using starting = new AsyncDisposableStack();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const fakeProviders = await startFakeIdentityProviders(origin);
  starting.defer(fakeProviders.close);
  const { fake: festival } = await startSmallFestival(60);
  starting.defer(festival.close);
  const common = {
    ...fakeProviders.variables,
    ORIGIN: origin,
    TRUSTED_PROXIES: "127.0.0.1",
    ...festivalSettings(festival),
  };
  const variables = await Promise.all(
    databases.map(async (own) => ({ ...common, ...own, PORT: String(await freePort()) })),
  );
  const sites: SiteProcess[] = [];
  starting.defer(async () => void (await Promise.all(sites.map((site) => site.stop()))));
  const start = async (instanceVariables: Record<string, string>, index: number) => {
    sites[index] = await startSite(instanceVariables);
  };
  await Promise.all(variables.map(start));
  const balancer = await nginx.start(
    variables.map(({ PORT }) => PORT),
    port,
  );
  starting.defer(balancer.close);
  const started = starting.move();
  return {
    origin,
    sites,
    festival,
    async restart(index) {
      const code = (await sites[index]?.stop()) ?? null;
      const instanceVariables = variables[index];
      if (instanceVariables) await start(instanceVariables, index);
      return code;
    },
    close: () => started.disposeAsync(),
  };
}

/** Waits until the job queue of each instance runs and no job is left. Pending retries are made due. */
export async function waitUntilJobsDone({ db }: Database, { sites }: Instances): Promise<void> {
  await untilListening(db, sites.length);
  await vi.waitUntil(async () => (await pendingJobs(db)).length === 0 || makeJobsDue(db), {
    timeout: 60_000,
    interval: 50,
  });
}
