import type { BrowserContext } from "@playwright/test";
import { startFakeIdentityProviders } from "../../../dev/fake-identity-providers/start.ts";
import { SESSION_KEY } from "../../../src/auth/ui/session/session-store.ts";
import type { SessionResponse } from "../../support/accounts.ts";
import { startSite } from "../../support/site.ts";
import { startBalancer } from "./balancer.ts";
import { createProgrammeDatabase } from "./programme.ts";
import { test as base } from "./test.ts";

export type AccountsEnvironment = Awaited<ReturnType<typeof startEnvironment>>;

async function startEnvironment(running: AsyncDisposableStack) {
  const database = await createProgrammeDatabase();
  running.defer(database.close);
  const origins: string[] = [];
  const balancer = await startBalancer(origins);
  running.defer(balancer.close);
  const { origin } = balancer;
  const providers = await startFakeIdentityProviders(origin);
  running.defer(providers.close);
  // Its libraries load at the first request. On a busy machine the site would not wait for them.
  await fetch(`${providers.google.issuer}/.well-known/openid-configuration`);
  const variables = { DATABASE_URL: database.url, ORIGIN: origin, ...providers.variables };
  const servers = await Promise.all([startSite(variables), startSite(variables)]);
  running.defer(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  origins.push(...servers.map((server) => server.origin));
  return { origin, database, providers, balancer, servers };
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

export async function storedSession(
  context: BrowserContext,
  origin: string,
): Promise<SessionResponse | null> {
  const { origins } = await context.storageState();
  const entries = origins.find((entry) => entry.origin === origin)?.localStorage ?? [];
  const text = entries.find(({ name }) => name === SESSION_KEY)?.value;
  return text === undefined ? null : JSON.parse(text);
}
