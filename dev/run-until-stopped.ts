import process from "node:process";
import { OperatorError } from "../src/lib/operator-error.ts";

/**
 * Aborts at a stop signal, at the end of the parent, and when the output is closed (`npm start | head`). Later
 * errors are ignored. @param program resolves with the exit code
 */
export async function runUntilStopped(program: (signal: AbortSignal) => Promise<number>): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopping.abort());
  process.on("disconnect", () => stopping.abort());
  process.stdout.on("error", () => stopping.abort());
  try {
    process.exitCode = await program(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) process.exit();
    console.error(error instanceof OperatorError ? error.message : error);
    process.exitCode = 1;
  }
  if (process.connected) process.disconnect?.();
}
