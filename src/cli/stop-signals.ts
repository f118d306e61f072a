import { constants } from "node:os";
import process from "node:process";
import { printError } from "./console.ts";

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * These signals abort the task. Once it has failed, they end the process, whatever still waits for the database.
 * @param describeStop what is printed then
 */
export async function stoppable<T>(
  task: (signal: AbortSignal) => Promise<T>,
  describeStop?: () => string,
): Promise<T> {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: NodeJS.Signals) => {
    exitCode = 128 + constants.signals[name];
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  try {
    return await task(controller.signal);
  } catch (error) {
    if (exitCode === 0) throw error;
    if (describeStop) printError(describeStop());
    return process.exit(exitCode);
  } finally {
    // npm repeats the signal that a terminal has sent.
    if (exitCode === 0) for (const name of names) process.off(name, stop);
  }
}
