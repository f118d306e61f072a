import process from "node:process";
import { isStartError } from "../src/start-error.server.ts";
import { UsageError } from "./festival/rule-options.ts";

/**
 * Runs a program until its end. The signal is aborted when the program is told to stop, or when whoever started it is gone,
 * however that went. What it resolves with becomes the exit code; an expected error is one line.
 */
export async function runUntilTold(program: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const told = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => told.abort());
  process.on("disconnect", () => told.abort());
  try {
    process.exitCode = await program(told.signal);
  } catch (error) {
    console.error(isStartError(error) || error instanceof UsageError ? error.message : error);
    process.exitCode = 1;
  }
  if (process.connected) process.disconnect();
}
