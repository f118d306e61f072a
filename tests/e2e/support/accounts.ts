import type { BrowserContext, Page } from "@playwright/test";
import { type FakeIdentityProviders, startFakeIdentityProviders } from "../../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../../dev/harness/free-port.ts";
import type { Provider } from "../../../src/auth/session.ts";
import { SESSION_KEY } from "../../../src/auth/ui/session-store.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { signIn as signInOverHttp } from "../../support/accounts.ts";
import { type Balancer, startBalancer } from "../../support/balancer.ts";
import { type Relay, startRelay } from "../../support/database-relay.ts";
import { createMigratedDatabase } from "../../support/postgres-server.ts";
import { recordRecentRefresh, type Site, startSite } from "../../support/site.ts";
import { writeProgramme } from "./programme.ts";
import { test as base } from "./test.ts";

/** A site of two server processes behind one address, on one database, with both fake providers. */
export interface AccountsEnvironment {
  origin: string;
  database: Database;
  /** The servers' way to the database. */
  relay: Relay;
  providers: FakeIdentityProviders;
  balancer: Balancer;
  servers: Site[];
  /** Kills every server (-9) and starts as many again. */
  restart(): Promise<void>;
}

async function startEnvironment(running: AsyncDisposableStack): Promise<AccountsEnvironment> {
  const database = await createMigratedDatabase(process.env.TEST_POSTGRES ?? "");
  running.defer(database.close);
  await writeProgramme(database.db);
  await recordRecentRefresh(database.db);
  const relay = await startRelay(database.url);
  running.defer(relay.close);
  const balancer = await startBalancer(await freePort());
  running.defer(balancer.close);
  const providers = await startFakeIdentityProviders(balancer.origin);
  running.defer(providers.close);
  const servers: Site[] = [];
  running.defer(async () => void (await Promise.all(servers.map((server) => server.stop()))));

  async function start(): Promise<void> {
    const variables = { DATABASE_URL: relay.url, ORIGIN: balancer.origin, ...providers.variables };
    servers.push(...(await Promise.all([startSite(variables), startSite(variables)])));
    balancer.servers.push(...servers.map(({ origin }) => origin));
  }
  async function restart(): Promise<void> {
    balancer.servers.length = 0;
    await Promise.all(servers.splice(0).map((server) => server.stop("SIGKILL")));
    await start();
  }
  await start();
  return { origin: balancer.origin, database, relay, providers, balancer, servers, restart };
}

interface Fixtures {
  /** Somebody nobody else is: tests share the database. */
  email: string;
  /** The site's parts that have to do with accounts, in the page. */
  accounts: Accounts;
}

export const test = base.extend<Fixtures, { environment: AccountsEnvironment }>({
  environment: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it which fixtures are needed
    async ({}, use) => {
      await using running = new AsyncDisposableStack();
      await use(await startEnvironment(running));
    },
    { scope: "worker" },
  ],
  baseURL: ({ environment }, use) => use(environment.origin),
  email: ({ browserName }, use) => use(`${browserName}-${crypto.randomUUID()}@people.example`),
  accounts: ({ page, environment, problems }, use) => {
    // The way to a provider and back leads over the fakes, which have other origins.
    const { google, github } = environment.providers;
    for (const url of [google.issuer, github.url]) problems.allow(new RegExp(`^elsewhere: ${url}`));
    return use(accountsOf(page));
  },
});

export function accountsOf(page: Page) {
  const header = page.getByRole("banner");
  return {
    signInButton: header.getByRole("button", { name: "Sign In", exact: true }),
    signOutButton: header.getByRole("button", { name: "Sign Out", exact: true }),
    email: (email: string) => header.getByText(email, { exact: true }),
    continueWith: (name: "Google" | "GitHub") => page.getByRole("button", { name: `Continue with ${name}` }),
    /** Types who one is at the fake provider and goes on; `press` another button to deny or to fail. */
    async submitAccount(email: string, { verified = true, press = "Continue" } = {}) {
      await page.getByRole("textbox", { name: "E-mail" }).fill(email);
      await page.getByRole("checkbox", { name: "E-mail is verified" }).setChecked(verified);
      await page.getByRole("button", { name: press, exact: true }).click();
    },
    /**
     * Lets the browser be signed in at the next page it opens: a session that the server made over HTTP, without the
     * pages on the way to it.
     */
    async signIn(email: string) {
      const { origin } = new URL((await page.request.get("/healthz")).url());
      const session = await signInOverHttp(origin, "github", { email });
      const entry = { name: SESSION_KEY, value: JSON.stringify(session) };
      await page.context().setStorageState({ cookies: [], origins: [{ origin, localStorage: [entry] }] });
    },
    /** Resolves when the page has been told what the user has reviewed: a session that ends before makes an error of it. */
    waitForReviewedResponse: () => page.waitForResponse("**/api/reviews/mine"),
    /** Signs in so, and opens the list; resolves when it has also asked what the user has reviewed. */
    async openSignedIn(email: string, address = "/") {
      await this.signIn(email);
      const asked = this.waitForReviewedResponse();
      await page.goto(address);
      await asked;
      await this.signOutButton.waitFor();
    },
    /** Signs in by the pages, all the way: with Google by the header, with GitHub by the sign-in page; and as far as that. */
    async signInByPages(email: string, provider: Provider = "google") {
      await page.goto(provider === "google" ? "/" : "/auth");
      const asked = this.waitForReviewedResponse();
      if (provider === "google") await this.signInButton.click();
      else await this.continueWith("GitHub").click();
      await this.submitAccount(email);
      await asked;
      await this.signOutButton.waitFor();
    },
  };
}

export type Accounts = ReturnType<typeof accountsOf>;

/** What the browser keeps of the session; null when it keeps none. */
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
