import { freePort } from "../../dev/harness/free-port.ts";
import type { Database } from "../../src/database/open.server.ts";
import { givenRefresh } from "./given.ts";
import { runProgram } from "./program.ts";
import type { ProxyProgram } from "./proxies.ts";
import { operatorSettings, type SiteProcess, startSite, unreachableFestival } from "./site.ts";

/** Three instances on one database behind a proxy, which do not refresh. */
export interface SitesBehindProxy {
  /** The proxy's origin, which visitors use. */
  origin: string;
  proxyFolder: string;
  at(index: number): SiteProcess;
  /** Stops an instance and starts another one on its port, of another build. */
  replace(index: number, program: string): Promise<void>;
  /**
   * Stops an instance and starts another one on its port, which does not reach the database and gives up.
   * Resolves with its exit code.
   */
  startWithoutDatabase(index: number): Promise<unknown>;
  close(): Promise<void>;
}

/** @param build the built server that they run */
export async function startSitesBehind(
  proxy: ProxyProgram,
  database: Database,
  build?: string,
): Promise<SitesBehindProxy> {
  await givenRefresh(database.db);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const ports = await Promise.all([0, 1, 2].map(async () => String(await freePort())));
  const variables = ports.map((PORT) => ({
    DATABASE_URL: database.url,
    ORIGIN: origin,
    TRUSTED_PROXIES: "127.0.0.1",
    PORT,
  }));
  await using starting = new AsyncDisposableStack();
  const sites: SiteProcess[] = [];
  starting.defer(async () => void (await Promise.all(sites.map((site) => site.stop("SIGKILL")))));
  const start = async (index: number, program?: string) => {
    sites[index] = await startSite(variables[index] ?? {}, program);
  };
  await Promise.all(ports.map((_port, index) => start(index, build)));
  const running = await proxy.start(ports, port);
  starting.defer(running.close);
  const started = starting.move();
  const at = (index: number) => {
    const site = sites[index];
    if (!site) throw new Error(`There is no instance ${index}`);
    return site;
  };
  return {
    origin,
    proxyFolder: running.folder,
    at,
    async replace(index, program) {
      await at(index).stop();
      await start(index, program);
    },
    async startWithoutDatabase(index) {
      await at(index).stop();
      const lost = {
        ...variables[index],
        ...operatorSettings,
        ...unreachableFestival,
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/lost",
      };
      return runProgram("build/server/main.js", [], lost).exited;
    },
    close: () => started.disposeAsync(),
  };
}
