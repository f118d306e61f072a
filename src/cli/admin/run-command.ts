import { CommanderError } from "commander";
import type { Task } from "./command.ts";
import { printError } from "./console.ts";
import { describeError } from "./describe-error.ts";
import { createProgram } from "./program.ts";

/**
 * Runs the command that the arguments name, and prints its result or an error of one line.
 * @param withDatabase runs the task of the command, and returns its exit code; whether there must be a database
 * @returns the exit code: 1 if the command fails, 2 if the arguments are wrong
 */
export async function runCommand(
  args: readonly string[],
  withDatabase: (task: Task, mustExist: boolean) => Promise<number>,
): Promise<number> {
  let exitCode = 0;
  const program = createProgram(async (task, mustExist = true) => {
    exitCode = await withDatabase(task, mustExist);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printError(describeError(error));
    return 1;
  }
}
