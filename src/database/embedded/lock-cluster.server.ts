import type { FileHandle } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { lockFile } from "./lock-file.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import { findServer, sendSignal } from "./processes.server.ts";

/** A fast shutdown, then an immediate one, after which PostgreSQL recovers at its next start. */
const attempts = [
  { signal: "SIGINT", seconds: 15 },
  { signal: "SIGQUIT", seconds: 5 },
] as const;

/**
 * Locks the cluster of a folder that this process has locked, once no server runs on it. All processes of a
 * server inherit its lock. So one that an earlier run left behind is known in any container. It ends by
 * itself; where its process can be seen, it gets a signal.
 * @returns the lock, which the next server must inherit
 * @throws DatabaseStartError if a server goes on running
 */
export async function lockCluster(folder: string, log: Logger, stopping: AbortSignal): Promise<FileHandle> {
  const { cluster, clusterLock } = embeddedPaths(folder);
  let server: number | null = null;
  for (const { signal, seconds } of attempts) {
    let isSent = false;
    for (const since = performance.now(); performance.now() - since < seconds * 1000; ) {
      const lock = await lockFile(clusterLock);
      server = await findServer(cluster);
      if (lock && server === null) return lock;
      // A server without the lock is no orphan of ours: an earlier version runs, or PostgreSQL was started by
      // hand.
      await lock?.close();
      if (server !== null && lock === null && !isSent) {
        log.warn({ process: server }, "Stopping the embedded database that an earlier run left behind");
        sendSignal(server, signal);
        isSent = true;
      }
      await pause(50, undefined, { signal: stopping });
    }
  }
  const name = server === null ? "in another container or of another user" : `process ${server}`;
  throw new DatabaseStartError(
    `Another PostgreSQL runs on the data folder ${folder} (${name}): stop it, or what started it, first.`,
  );
}
