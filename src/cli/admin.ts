// `npm run admin`: the operator's commands, with or without a running server.
import { CommanderError } from "commander";
import { pino } from "pino";
import { loadConfig } from "../config/environment.server.ts";
import { openDatabase } from "../database/open.server.ts";
import type { Task } from "./admin/command.ts";
import { printError } from "./admin/console.ts";
import { describeError } from "./admin/describe-error.ts";
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
    printError(describeError(error));
    process.exitCode = 1;
  }
}

async function withDatabase(task: Task): Promise<number> {
  const config = loadConfig();
  const { db, close } = await openDatabase({
    ...config,
    log: pino({ level: "silent" }),
    sharing: "join",
    responseTimeout: 0, // an export or import may take long, and the operator can stop it
  });
  try {
    return await task(db);
  } finally {
    await close();
  }
}
