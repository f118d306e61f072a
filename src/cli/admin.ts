import { pino } from "pino";
import { loadConfig } from "../config/environment.server.ts";
import { openDatabase } from "../database/open.server.ts";
import { type Action, runCommand } from "./commands.ts";
import { stoppable } from "./stop-signals.ts";

process.exitCode = await runCommand(process.argv.slice(2), withDatabase);

async function withDatabase(action: Action, mustExist: boolean): Promise<void> {
  const config = loadConfig();
  const log = pino({ level: "silent" });
  const responseTimeout = 0; // a backup may take long; the operator can stop it
  const { db, pool, directUrl, close } = await stoppable((signal) =>
    openDatabase({ ...config, signal, mustExist, log, sharing: "join", responseTimeout }),
  );
  try {
    await action({ db, pool, directUrl, config });
  } finally {
    await close();
  }
}
