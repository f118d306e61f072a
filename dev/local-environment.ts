import process from "node:process";
import type { Logger } from "pino";
import type { Config } from "../src/config/environment.server.ts";
import { type Database, openDatabase } from "../src/database/open.server.ts";
import { inventReviews } from "./demo.ts";
import { readOptions } from "./fake-festival-api/options.ts";
import { startFakeFestivalApi } from "./fake-festival-api/server.ts";
import type { FakeProviderUrls } from "./fake-identity-providers/behind-site.ts";
import { type FakeIdentityProviders, startFakeIdentityProviders } from "./fake-identity-providers/start.ts";
import { importProgramme } from "./import-programme.ts";

/** A database, and the external services or their fakes. */
export interface LocalEnvironment extends AsyncDisposable {
  /** The server's variables. */
  variables: Record<string, string>;
  /** Null if real providers are configured. */
  fakes: FakeProviderUrls | null;
}

type Variables = Record<string, string>;

/** `resources` closes the parts of the environment. */
interface Site {
  config: Config;
  database: Database;
  log: Logger;
  signal: AbortSignal;
  resources: AsyncDisposableStack;
}

/** Imports a programme into the database, with progress on the console. */
export async function createLocalEnvironment(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<LocalEnvironment> {
  await using resources = new AsyncDisposableStack();
  console.log(config.databaseUrl ? "Opening the database …" : `Starting the database in ${config.dataDir} …`);
  // Without a pooler, because the import takes a lock.
  const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const database = await openDatabase({
    ...config,
    databaseUrl,
    databaseDirectUrl: undefined,
    log,
    sharing: "own",
    signal,
  });
  resources.defer(database.close);
  const site = { config, database, log, signal, resources };
  const festival = await provideFestival(site);
  const fakes = await provideSignIn(site);
  const variables = { DATABASE_URL: database.url, ...festival, ...fakes?.variables };
  const owned = resources.move();
  return {
    variables,
    fakes: fakes && { google: fakes.google.issuer, github: fakes.github.url },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Without credentials, imports an invented programme with reviews from the fake API. */
async function provideFestival({
  config,
  database: { db },
  log,
  signal,
  resources,
}: Site): Promise<Variables> {
  if (config.festivalApi) {
    await importProgramme({ db, api: config.festivalApi, log, signal });
    return {};
  }
  const { help: _, ...options } = readOptions([], process.env.FAKE_FESTIVAL_OPTIONS);
  const fake = await startFakeFestivalApi(options);
  resources.defer(fake.close);
  console.log("Without the festival's credentials, a fake festival API sends an invented programme.");
  await importProgramme({ db, api: fake, log, signal });
  await inventReviews(db, options.programme, log);
  return {
    FESTIVAL_API_URL: fake.url,
    FESTIVAL_API_KEY: fake.key,
    FESTIVAL_API_SECRET: fake.secret,
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
}

/** Fakes both providers, or neither: a fake lets anybody sign in as any user of a real provider. */
async function provideSignIn({
  config: { origin, host, signIn },
  resources,
}: Site): Promise<FakeIdentityProviders | null> {
  if (signIn.google || signIn.github) return null;
  const fakes = await startFakeIdentityProviders(origin);
  resources.defer(fakes.close);
  console.log("Without credentials for Google or GitHub, fakes play both: sign in with any e-mail address.");
  if (!/^(localhost$|127\.|::1$)/.test(host)) console.log(`So can everybody who reaches HOST ${host}.`);
  return fakes;
}
