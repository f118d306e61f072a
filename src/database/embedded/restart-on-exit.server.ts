import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import type { RunningServer } from "./postgres-process.server.ts";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;
/** A server that ran this long was stable: the backoff starts again from the first delay. */
const STABLE_AFTER_MS = 60_000;

interface Options {
  server: RunningServer;
  restart: () => Promise<RunningServer>;
  log: Logger;
  /** Aborted before an intended shutdown. */
  signal: AbortSignal;
}

/** Restarts the server after unexpected exits, with backoff. Resolves after an intended shutdown. */
export async function restartOnExit({ server, restart, log, signal }: Options): Promise<void> {
  let running: RunningServer | null = server;
  for (let failures = 0; ; failures += 1) {
    const since = performance.now();
    await running?.exited;
    if (signal.aborted) return;
    if (performance.now() - since > STABLE_AFTER_MS) failures = 0;
    if (running)
      log.error({ process: running.pid }, "The embedded database has ended unexpectedly; starting it again");
    await pause(Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS), undefined, { signal }).catch(
      () => {},
    );
    if (signal.aborted) return;
    running = await restart().catch((error: unknown) => {
      log.error({ error: messageOf(error) }, "The embedded database could not be started again");
      return null;
    });
    if (running) log.info({ process: running.pid }, "The embedded database is running again");
  }
}
