import { type FileHandle, rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { lockFile } from "./lock-file.server.ts";
import { embeddedPaths } from "./paths.server.ts";

/** A server without its app shuts down by itself. */
const PATIENCE_MS = 20_000;

/** All processes of a server inherit the lock, so one that was left behind is noticed in any container. */
export async function lockCluster(folder: string, stopping: AbortSignal): Promise<FileHandle> {
  const { clusterLock, pidFile } = embeddedPaths(folder);
  const since = performance.now();
  while (performance.now() - since < PATIENCE_MS) {
    const lock = await lockFile(clusterLock);
    if (lock) {
      // Of a killed server. PostgreSQL would trust the process ID in it, which any process may have now.
      await rm(pidFile, { force: true });
      return lock;
    }
    await pause(50, undefined, { signal: stopping });
  }
  throw new DatabaseStartError(
    `Another PostgreSQL runs on the data folder ${folder}: stop it, or what started it, first.`,
  );
}
