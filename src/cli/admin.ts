// npm run admin: what the site's operator does by hand, with or without a running server.
import { CommanderError } from "commander";
import { pino } from "pino";
import { parseConfig, readEnvironment } from "../config/environment.server.ts";
import { openDatabase } from "../database/open.server.ts";
import type { Task } from "./admin/command.ts";
import { complain } from "./admin/console.ts";
import { explain } from "./admin/explain.ts";
import { createProgram } from "./admin/program.ts";

const program = createProgram(async (task) => {
  process.exitCode = await withDatabase(task);
});
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    complain(explain(error));
    process.exitCode = 1;
  }
}

async function withDatabase(task: Task): Promise<number> {
  const config = parseConfig(readEnvironment());
  const { db, close } = await openDatabase({
    ...config,
    log: pino({ level: "silent" }),
    sharing: "join",
    responseTimeout: 0, // an export or import takes as long as it takes, and whoever started it can stop it
  });
  try {
    return await task(db);
  } finally {
    await close();
  }
}
