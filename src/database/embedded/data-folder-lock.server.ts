import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { processIdentity } from "./processes.server.ts";

/** Another process holds the lock of the data folder. */
export class DataFolderInUseError extends DatabaseStartError {
  override name = "DataFolderInUseError";
  readonly holder: number;

  constructor(folder: string, holder: number) {
    super(`The data folder ${folder} is in use by another Front Row (process ${holder}).`);
    this.holder = holder;
  }
}

/**
 * If two processes start together, how long the one with the lower process ID waits for the other to give up.
 */
const WITHDRAWAL_MS = 500;

/**
 * Locks a data folder for this process, until it releases the lock or dies.
 *
 * A lock is an empty file. Its name contains the process ID and a digest of the process's start time, so it
 * is unique to the process, and any process may remove the lock of a dead one at any moment. A process writes
 * its own lock before it looks for others: of two, at least one sees the other, and never both proceed.
 *
 * @returns releases the lock
 * @throws DataFolderInUseError
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const own = path.join(folder, lockName(process.pid, await processIdentity(process.pid)));
  const release = () => rm(own, { force: true });
  await writeFile(own, "", { flag: "wx" }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new DataFolderInUseError(folder, process.pid);
    }
    throw error;
  });
  try {
    await waitUntilAlone(folder, path.basename(own));
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

async function waitUntilAlone(folder: string, own: string): Promise<void> {
  const step = 25;
  for (let waited = 0; ; waited += step) {
    const other = await findLockHolder(folder, own);
    if (other === null) return;
    if (other < process.pid || waited >= WITHDRAWAL_MS) throw new DataFolderInUseError(folder, other);
    await pause(step);
  }
}

/**
 * Finds the running process that holds a lock of the folder, and removes the locks of dead processes.
 * @param except the name of a lock to ignore
 * @returns its process ID, the lowest of several; null if there is none
 */
export async function findLockHolder(folder: string, except?: string): Promise<number | null> {
  let holder: number | null = null;
  for (const name of await readdir(folder)) {
    const pid = Number(/^app-(\d+)-\w+\.lock$/.exec(name)?.[1]);
    if (!pid || name === except) continue;
    const identity = await processIdentity(pid);
    if (identity && name === lockName(pid, identity)) holder = Math.min(pid, holder ?? pid);
    else await rm(path.join(folder, name), { force: true });
  }
  return holder;
}

function lockName(pid: number, identity: string | null): string {
  const digest = createHash("sha256").update(String(identity)).digest("hex").slice(0, 12);
  return `app-${pid}-${digest}.lock`;
}
