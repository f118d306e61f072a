import type { BrowserContext } from "@playwright/test";
import {
  type FakeIdentityProviders,
  startFakeIdentityProviders,
} from "../../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../../dev/harness/free-port.ts";
import { SESSION_KEY } from "../../../src/auth/ui/session/session-store.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { type Balancer, startBalancer } from "../../support/balancer.ts";
import { type Relay, startRelay } from "../../support/database-relay.ts";
import { givenRefresh } from "../../support/given.ts";
import { createMigratedDatabase } from "../../support/postgres-server.ts";
import { type SiteProcess, startSite } from "../../support/site.ts";
import { writeProgramme } from "./programme.ts";
import { test as base } from "./test.ts";

/** A site of two server processes behind one address, on one database, with both fake providers. */
export interface AccountsEnvironment {
  origin: string;
  database: Database;
  relay: Relay;
  providers: FakeIdentityProviders;
  balancer: Balancer;
  servers: SiteProcess[];
  /** Kills all servers (-9) and starts two new ones. */
  restart(): Promise<void>;
  addServer(program: string): Promise<void>;
  /** Starts two servers, of another build if one is given, and then stops those before. */
  upgrade(program?: string): Promise<void>;
}

async function startEnvironment(running: AsyncDisposableStack): Promise<AccountsEnvironment> {
  const database = await createMigratedDatabase(process.env.TEST_POSTGRES ?? "");
  running.defer(database.close);
  await writeProgramme(database.db);
  await givenRefresh(database.db);
  const relay = await startRelay(database.url);
  running.defer(relay.close);
  const balancer = await startBalancer(await freePort());
  running.defer(balancer.close);
  const providers = await startFakeIdentityProviders(balancer.origin);
  running.defer(providers.close);
  const servers: SiteProcess[] = [];
  running.defer(async () => void (await Promise.all(servers.map((server) => server.stop()))));

  async function addServer(program?: string): Promise<void> {
    const variables = { DATABASE_URL: relay.url, ORIGIN: balancer.origin, ...providers.variables };
    const server = await startSite(variables, program);
    servers.push(server);
    balancer.servers.push(server.origin);
  }
  async function start(program?: string): Promise<void> {
    await Promise.all([addServer(program), addServer(program)]);
  }
  async function restart(): Promise<void> {
    balancer.servers.length = 0;
    await Promise.all(servers.splice(0).map((server) => server.stop("SIGKILL")));
    await start();
  }
  async function upgrade(program?: string): Promise<void> {
    const earlier = servers.splice(0);
    await start(program);
    balancer.servers.splice(0, earlier.length);
    await Promise.all(earlier.map((server) => server.stop()));
  }
  await start();
  return {
    origin: balancer.origin,
    database,
    relay,
    providers,
    balancer,
    servers,
    restart,
    addServer,
    upgrade,
  };
}

interface Fixtures {
  /** An e-mail address for this test alone. Tests share the database. */
  email: string;
}

export const test = base.extend<Fixtures, { environment: AccountsEnvironment }>({
  environment: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured first parameter
    async ({}, use) => {
      await using running = new AsyncDisposableStack();
      await use(await startEnvironment(running));
    },
    { scope: "worker" },
  ],
  baseURL: ({ environment }, use) => use(environment.origin),
  email: ({ browserName }, use) => use(`${browserName}-${crypto.randomUUID()}@people.example`),
  problems: ({ environment, problems }, use) => {
    // A sign-in opens pages of the fake providers, which have other origins.
    const { google, github } = environment.providers;
    for (const url of [google.issuer, github.url]) problems.allow(new RegExp(`^elsewhere: ${url}`));
    return use(problems);
  },
});

/** The session in the browser's local storage; null if there is none. */
export async function storedSession(context: BrowserContext, origin: string): Promise<StoredSession | null> {
  const { origins } = await context.storageState();
  const entries = origins.find((entry) => entry.origin === origin)?.localStorage ?? [];
  const text = entries.find(({ name }) => name === SESSION_KEY)?.value;
  return text === undefined ? null : JSON.parse(text);
}

interface StoredSession {
  access_token: string;
  refresh_token: string;
  expires_at: number;
  user: { id: string; email: string };
}
