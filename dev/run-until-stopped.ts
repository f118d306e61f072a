import process from "node:process";
import { OperatorError } from "../src/lib/error-message.ts";

/**
 * Aborts the signal when the process gets a stop signal, or loses its parent or the reader of its output
 * (`npm start | head`); what is thrown after that is no error. The program resolves with the exit code; an
 * expected error is one line.
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
