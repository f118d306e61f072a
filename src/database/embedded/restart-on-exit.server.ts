import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { type RunningServer, startProblem } from "./postgres-process.server.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 15_000;
/** A server that ran this long was well: its end is a first failure again. */
const WELL_AFTER_MS = 60_000;

interface Options {
  server: RunningServer;
  restart: () => Promise<RunningServer>;
  log: Logger;
  /** Aborted: the end is wanted. */
  signal: AbortSignal;
}

/** Starts the server again whenever it ends unasked, ever more slowly. Settles when it has ended because it was asked to. */
export async function keepRunning({ server, restart, log, signal }: Options): Promise<void> {
  let running: RunningServer | null = server;
  for (let failures = 0; ; failures += 1) {
    const since = performance.now();
    await running?.exited;
    if (signal.aborted) return;
    if (performance.now() - since > WELL_AFTER_MS) failures = 0;
    if (running) log.error({ process: running.pid }, "The embedded database has ended unexpectedly; starting it again");
    await pause(Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    running = await restart().catch((error: unknown) => {
      log.error({ error: startProblem(error) }, "The embedded database could not be started again");
      return null;
    });
    if (running) log.info({ process: running.pid }, "The embedded database is running again");
  }
}
