import process from "node:process";

/**
 * Does a piece of work that starts processes and makes folders. Whatever it puts on the stack is undone when it ends,
 * fails or is interrupted (Ctrl-C, a closed terminal). Ends the process, with the exit code that the work has set: interrupted
 * work may still be under way.
 */
export async function tidily(work: (running: AsyncDisposableStack) => Promise<void>): Promise<never> {
  try {
    await using running = new AsyncDisposableStack();
    await Promise.race([work(running), interrupted()]);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
  process.exit();
}

/** The listeners stay: a second Ctrl-C must not cut the undoing short. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => reject(`Interrupted by ${signal}`));
    process.on("uncaughtException", reject);
  });
}
