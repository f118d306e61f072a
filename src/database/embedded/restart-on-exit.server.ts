import { setTimeout as pause } from "node:timers/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import type { RunningServer } from "./postgres-process.server.ts";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;

interface Options {
  server: RunningServer;
  restart: () => Promise<RunningServer>;
  log: Logger;
  signal: AbortSignal;
}

export async function restartOnExit({ server, restart, log, signal }: Options): Promise<void> {
  for (let running = server; ; ) {
    await running.exited;
    if (signal.aborted) return;
    log.error({ process: running.pid }, "The embedded database has ended unexpectedly; starting it again");
    try {
      await pause(FIRST_DELAY_MS, undefined, { signal });
      running = await pRetry(restart, {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: FIRST_DELAY_MS,
        maxTimeout: MAX_DELAY_MS,
        signal,
        onFailedAttempt: ({ error }) =>
          log.error({ error: messageOf(error) }, "The embedded database could not be started again"),
      });
    } catch {
      return; // only an abort ends the attempts
    }
    log.info({ process: running.pid }, "The embedded database is running again");
  }
}
