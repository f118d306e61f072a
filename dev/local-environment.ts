import process from "node:process";
import type { Logger } from "pino";
import type { Config } from "../src/config/environment.server.ts";
import { type Database, openDatabase } from "../src/database/open.server.ts";
import { bringInProgramme } from "./bring-in-programme.ts";
import { inventReviews } from "./demo.ts";
import { readOptions } from "./fake-festival-api/options.ts";
import { startFestivalStandIn } from "./fake-festival-api/server.ts";
import { startIdentityStandIns } from "./fake-identity-providers/stand-ins.ts";

/** Everything around a server: its database, and the outside worlds or their stand-ins. */
export interface World extends AsyncDisposable {
  /** What a server has to be told of it. */
  variables: Record<string, string>;
}

type Variables = Record<string, string>;

/** What the parts of a world are made with; what has to be ended with it is put on `making`. */
interface Site {
  config: Config;
  database: Database;
  log: Logger;
  signal: AbortSignal;
  making: AsyncDisposableStack;
}

/** Makes a world for a server to live in, a programme in its database, and says on the console what it does. */
export async function makeWorld(config: Config, log: Logger, signal: AbortSignal): Promise<World> {
  await using making = new AsyncDisposableStack();
  console.log(config.databaseUrl ? "Opening the database …" : `Starting the database in ${config.dataDir} …`);
  const database = await openDatabase({ ...config, log, sharing: "own" });
  making.defer(database.close);
  const site = { config, database, log, signal, making };
  const variables = {
    DATABASE_URL: database.url,
    ...(await provideFestival(site)),
    ...(await provideSignIn(site)),
  };
  const made = making.move();
  return { variables, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

/** Brings in the festival's programme; without credentials an invented one, with reviews, from a stand-in. */
async function provideFestival({ config, database: { db }, log, signal, making }: Site): Promise<Variables> {
  if (config.festivalApi) {
    await bringInProgramme({ db, api: config.festivalApi, log, signal });
    return {};
  }
  const { help: _, ...options } = readOptions([], process.env.FESTIVAL_STAND_IN);
  const standIn = await startFestivalStandIn(options);
  making.defer(standIn.close);
  console.log("Without the festival's credentials, an invented programme stands in for it.");
  await bringInProgramme({ db, api: standIn, log, signal });
  await inventReviews(db, options.programme, log);
  return {
    FESTIVAL_API_URL: standIn.url,
    FESTIVAL_API_KEY: standIn.key,
    FESTIVAL_API_SECRET: standIn.secret,
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
}

/**
 * Stand-ins for both providers, or for none: a stand-in lets anybody be anybody, also somebody who has signed in with a
 * real provider and the same e-mail. So it is never there beside a real one.
 */
async function provideSignIn({ config: { origin, signIn }, making }: Site): Promise<Variables> {
  if (signIn.google || signIn.github) return {};
  const { variables, close } = await startIdentityStandIns(origin);
  making.defer(close);
  console.log("Without credentials for Google or GitHub, stand-ins play both: sign in as whoever you like.");
  return variables;
}
