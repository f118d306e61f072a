import process from "node:process";
import type { Logger } from "pino";
import type { Config } from "../src/config.server.ts";
import { openDatabase } from "../src/database/open.server.ts";
import { bringInProgramme } from "./bring-in-programme.ts";
import { inventReviews } from "./demo.ts";
import { readOptions } from "./festival/options.ts";
import { startFestivalStandIn } from "./festival/server.ts";

/** Everything around a server: its database, and the outside worlds or their stand-ins. */
export interface World extends AsyncDisposable {
  /** What a server has to be told of it. */
  variables: Record<string, string>;
}

/** Makes a world for a server to live in, a programme in its database, and says on the console what it does. */
export async function makeWorld(config: Config, log: Logger, signal: AbortSignal): Promise<World> {
  await using making = new AsyncDisposableStack();
  console.log(config.databaseUrl ? "Opening the database …" : `Starting the database in ${config.dataDir} …`);
  const database = await openDatabase({ ...config, log, sharing: "own" });
  making.defer(database.close);
  const variables: Record<string, string> = { DATABASE_URL: database.url };
  if (config.festivalApi) {
    await bringInProgramme({ db: database.db, api: config.festivalApi, log, signal });
  } else {
    const { help: _, ...options } = readOptions([], process.env.FESTIVAL_STAND_IN);
    const standIn = await startFestivalStandIn(options);
    making.defer(standIn.close);
    console.log("Without the festival's credentials, an invented programme stands in for it.");
    await bringInProgramme({ db: database.db, api: standIn, log, signal });
    await inventReviews(database.db, options.programme, log);
    variables.FESTIVAL_API_URL = standIn.url;
    variables.FESTIVAL_API_KEY = standIn.key;
    variables.FESTIVAL_API_SECRET = standIn.secret;
    variables.ALLOW_LOOPBACK_PROVIDERS = "1";
  }
  const made = making.move();
  return { variables, [Symbol.asyncDispose]: () => made.disposeAsync() };
}
