import type { BrowserContext, Page } from "@playwright/test";
import {
  type FakeIdentityProviders,
  startFakeIdentityProviders,
} from "../../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../../dev/harness/free-port.ts";
import type { Provider } from "../../../src/auth/session.ts";
import { SESSION_KEY } from "../../../src/auth/ui/session/session-store.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { signIn as signInOverHttp } from "../../support/accounts.ts";
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
  /** Through which the servers reach the database. */
  relay: Relay;
  providers: FakeIdentityProviders;
  balancer: Balancer;
  servers: SiteProcess[];
  /** Kills all servers (-9) and starts two new ones. */
  restart(): Promise<void>;
  /** Starts one more server, of another build. */
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
  /** The account controls of the page, and sign-in. */
  accounts: Accounts;
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
  accounts: ({ page, environment, problems }, use) => {
    // A sign-in opens pages of the fake providers, which have other origins.
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
    /**
     * Fills in the fake provider's page and submits it. `press` names another button, such as the one that
     * denies.
     */
    async submitAccount(email: string, { verified = true, press = "Continue" } = {}) {
      await page.getByRole("textbox", { name: "E-mail", exact: true }).fill(email);
      await page.getByRole("checkbox", { name: "E-mail is verified" }).setChecked(verified);
      await page.getByRole("button", { name: press, exact: true }).click();
    },
    /**
     * Stores a session in the browser, so that the next page it opens is signed in. The session comes from a
     * sign-in over HTTP, without pages.
     */
    async signIn(email: string) {
      const { origin } = new URL((await page.request.get("/healthz")).url());
      const session = await signInOverHttp(origin, "github", { email });
      const entry = { name: SESSION_KEY, value: JSON.stringify(session) };
      await page.context().setStorageState({ cookies: [], origins: [{ origin, localStorage: [entry] }] });
    },
    /**
     * Resolves when the page has received the user's own reviews. If the session ended before, or the clock
     * leapt, the page would report an error.
     */
    async waitForReviewedResponse() {
      const response = await page.waitForResponse("**/api/reviews/mine");
      await response.finished();
    },
    /**
     * Stores a session and opens the list. Resolves when the page has also received the user's own reviews.
     */
    async openSignedIn(email: string, address = "/") {
      await this.signIn(email);
      const reviewed = this.waitForReviewedResponse();
      await page.goto(address);
      await reviewed;
      await this.signOutButton.waitFor();
    },
    /** Signs in through the pages: with Google from the header, or with GitHub from the sign-in page. */
    async signInByPages(email: string, provider: Provider = "google") {
      await page.goto(provider === "google" ? "/" : "/auth");
      const reviewed = this.waitForReviewedResponse();
      if (provider === "google") await this.signInButton.click();
      else await this.continueWith("GitHub").click();
      await this.submitAccount(email);
      await reviewed;
      await this.signOutButton.waitFor();
    },
  };
}

export type Accounts = ReturnType<typeof accountsOf>;

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
