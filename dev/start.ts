/*
 * `npm start`: the product to try and to develop against. It owns the database and the stand-ins for the outside worlds
 * that it has no credentials for, brings in the programme, and runs the server as production does, in a process of its own.
 */
import process from "node:process";
import { pino } from "pino";
import pretty from "pino-pretty";
import { type Config, ConfigError, parseConfig, readEnvironment } from "../src/config.server.ts";
import { openDatabase } from "../src/database/open.server.ts";
import { DatabaseStartError } from "../src/database/start-error.server.ts";
import { ListenError, listenHttp } from "../src/http/listen.server.ts";
import { bringInProgramme } from "./bring-in-programme.ts";
import { type FestivalStandIn, startFestivalStandIn } from "./festival/server.ts";
import { startServer } from "./server-process.ts";

/** Runs until it is told to stop or the server ends; resolves with the exit code. */
async function start(signal: AbortSignal): Promise<number> {
  await using running = new AsyncDisposableStack();
  const config = parseConfig(readEnvironment());
  const output = pretty({ ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss", singleLine: true });
  const log = pino({ level: config.logLevel }, output);
  await requireFreePort(config);

  console.log(config.databaseUrl ? "Opening the database …" : `Starting the database in ${config.dataDir} …`);
  const database = await openDatabase({ ...config, log, sharing: "own" });
  running.defer(database.close);
  const standIn = config.festivalApi ? null : await startFestivalStandIn();
  if (standIn) running.defer(standIn.close);
  await bringInProgramme({ db: database.db, api: config.festivalApi, standIn, log, signal });
  if (signal.aborted) return 0;

  console.log("Starting the server …");
  const variables = { ...(standIn && variablesFor(standIn)), DATABASE_URL: database.url };
  const server = startServer(variables, output);
  running.defer(server.stop);
  await Promise.race([server.ready, server.ended]);
  if (!server.hasEnded()) console.log(`\nFront Row is open at ${config.origin} (Ctrl-C stops it)`);
  const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (signal.aborted || (await Promise.race([stopped.then(() => true), server.ended.then(() => false)]))) {
    console.log("Stopping …");
    return 0;
  }
  console.error("The server has ended, see above.");
  return 1;
}

/** Finds out about a taken port before anything is started. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  await (await listenHttp(host, port)).close(0);
}

function variablesFor({ url, key, secret }: FestivalStandIn): Record<string, string> {
  return {
    FESTIVAL_API_URL: url,
    FESTIVAL_API_KEY: key,
    FESTIVAL_API_SECRET: secret,
    ALLOW_LOOPBACK_PROVIDERS: "1",
  };
}

const told = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => told.abort());
// Whoever started this is gone, however it went.
process.on("disconnect", () => told.abort());

try {
  process.exitCode = await start(told.signal);
} catch (error) {
  const expected = [ConfigError, DatabaseStartError, ListenError].some((kind) => error instanceof kind);
  console.error(expected && error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();
