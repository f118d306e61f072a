import process from "node:process";

/**
 * Disposes the stack after the work, a failure or an interruption. Then the process exits, because interrupted work
 * may still run. The work sets the exit code.
 */
export async function runWithCleanup(work: (running: AsyncDisposableStack) => Promise<void>): Promise<never> {
  try {
    await using running = new AsyncDisposableStack();
    await Promise.race([work(running), interrupted()]);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
  process.exit();
}

/** The listeners stay: a second Ctrl-C must not interrupt the cleanup. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
      process.on(signal, () => reject(`Interrupted by ${signal}`));
    process.on("uncaughtException", reject);
  });
}
