import { pino } from "pino";
import { loadConfig } from "../config/environment.server.ts";
import { openDatabase } from "../database/open.server.ts";
import { type Action, runCommand } from "./commands.ts";
import { abortOnSignals } from "./stop-signals.ts";

process.exitCode = await runCommand(process.argv.slice(2), withDatabase);

async function withDatabase(action: Action, mustExist: boolean): Promise<void> {
  const config = loadConfig();
  const { signal, exitCode, release } = abortOnSignals();
  const { db, pool, directUrl, close } = await openDatabase({
    ...config,
    signal,
    mustExist,
    log: pino({ level: "silent" }),
    sharing: "join",
    responseTimeout: 0, // a backup may take long; the operator can stop it
  }).catch((error: unknown) => (signal.aborted ? process.exit(exitCode()) : Promise.reject(error)));
  release();
  try {
    await action({ db, pool, directUrl, config });
  } finally {
    await close();
  }
}
