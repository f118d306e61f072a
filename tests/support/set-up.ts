import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { openAccountsSite } from "./accounts.ts";
import { type Relay, startRelay } from "./database-relay.ts";
import { givenRefresh } from "./given.ts";
import { createTestDatabase } from "./postgres.ts";
import { openSite, type Site } from "./site.ts";

/** Shared by all tests of a file. */
export async function setUpDatabase(): Promise<Database> {
  const database = await createTestDatabase();
  afterAll(database.close);
  return database;
}

export async function setUpSite({ db, url }: Database, variables: Record<string, string> = {}) {
  await givenRefresh(db);
  const site = await openSite({ DATABASE_URL: url, ...variables });
  afterAll(() => site.stop());
  return site;
}

/** The same with fake providers. `variables` are for a second instance. */
export async function setUpAccountsSite({ db, url }: Database, variables: Record<string, string> = {}) {
  await givenRefresh(db);
  const accounts = await openAccountsSite({ DATABASE_URL: url, ...variables });
  afterAll(accounts.close);
  return accounts;
}

/** With a database of its own. */
export async function setUpAccounts(variables?: Record<string, string>) {
  const database = await setUpDatabase();
  const accountsSite = await setUpAccountsSite(database, variables);
  return { database, db: database.db, accountsSite, origin: accountsSite.site.origin };
}

export async function setUpRelay({ url }: Database): Promise<Relay> {
  const relay = await startRelay(url);
  afterAll(relay.close);
  return relay;
}

export async function openTestSite(variables: Record<string, string>): Promise<Site> {
  const site = await openSite(variables);
  onTestFinished(() => site.stop().then());
  return site;
}

export async function setUpFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "front-row-tests-")));
  // A killed database writes to its folder until it has stopped.
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** The clock of a server process with these variables. `set` moves it ahead, in ms. */
export async function setUpClock() {
  const file = join(await setUpFolder(), "clock");
  async function set(ahead: number): Promise<void> {
    await writeFile(`${file}.new`, String(ahead));
    await rename(`${file}.new`, file);
  }
  await set(0);
  const fakeClock = new URL("./fake-clock.ts", import.meta.url).href;
  return { variables: { NODE_OPTIONS: `--import=${fakeClock}`, CLOCK_FILE: file }, set };
}
