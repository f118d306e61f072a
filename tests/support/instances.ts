import { expect } from "vitest";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import type { Database } from "../../src/database/open.server.ts";
import { givenRefresh } from "./given.ts";
import type { ProxyProgram } from "./proxies.ts";
import { festivalSettings, startSmallFestival } from "./refreshes.ts";
import { type SiteProcess, startSite } from "./site.ts";

export type Instances = Awaited<ReturnType<typeof startInstances>>;

/** Starts all at the same time. @param databases each instance's variables for the database */
export async function startInstances(
  proxy: ProxyProgram,
  databases: readonly Record<string, string>[],
  build?: string,
) {
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
  const variables: Record<string, string>[] = await Promise.all(
    databases.map(async (own) => ({ ...common, ...own, PORT: String(await freePort()) })),
  );
  const sites: SiteProcess[] = [];
  const at = (index: number) => sites[index] ?? expect.fail(`There is no instance ${index}`);
  starting.defer(async () => void (await Promise.all(sites.map((site) => site.stop("SIGKILL")))));
  const start = async (index: number, program?: string) => {
    sites[index] = await startSite(variables[index] ?? {}, program);
  };
  await Promise.all(variables.map((_, index) => start(index, build)));
  const running = await proxy.start(
    variables.map(({ PORT = "" }) => PORT),
    port,
  );
  starting.defer(running.close);
  const started = starting.move();
  return {
    origin,
    sites,
    at,
    variables,
    festival,
    async restart(index: number, program?: string) {
      const code = await at(index).stop();
      await start(index, program);
      return code;
    },
    close: () => started.disposeAsync(),
  };
}

/** Three instances on a database, without refreshes. */
export async function startInstancesBehind(proxy: ProxyProgram, { db, url }: Database, build?: string) {
  await givenRefresh(db);
  return startInstances(proxy, Array(3).fill({ DATABASE_URL: url }), build);
}
