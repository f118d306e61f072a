import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf, messageOf, OperatorError } from "../../lib/error-message.ts";
import { embeddedPaths } from "./paths.server.ts";

/** A flag of open(2) on macOS, which has no command `flock`. */
const O_EXLOCK = 0x20;

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** The lock (flock(2)) lasts while any process has the file open, in any container. Null if it is locked. */
export async function lockFile(file: string): Promise<FileHandle | null> {
  const handle = await openLocked(file);
  // A file of root would lock out the site's own user.
  if (handle && process.getuid?.() === 0) {
    const { uid, gid } = await stat(path.dirname(file));
    await handle.chown(uid, gid).catch(() => {});
  }
  return handle;
}

async function openLocked(file: string): Promise<FileHandle | null> {
  if (process.platform === "darwin")
    return openFile(file, O_EXLOCK | O_NONBLOCK).catch((error: unknown) => {
      if (codeOf(error) === "EAGAIN") return null;
      throw error;
    });
  const handle = await openFile(file, 0);
  let isLocked = false;
  try {
    isLocked = await flock(handle, file);
  } finally {
    if (!isLocked) await handle.close();
  }
  return isLocked ? handle : null;
}

function openFile(file: string, flags: number): Promise<FileHandle> {
  return open(file, O_RDWR | O_CREAT | flags).catch((error: unknown) => {
    if (codeOf(error) === "EACCES") return open(file, O_RDONLY | flags);
    throw error;
  });
}

/** The command locks this process's open file, so that the lock outlives the command. */
async function flock(handle: FileHandle, file: string): Promise<boolean> {
  const child = spawn("flock", ["-n", "3"], { stdio: ["ignore", "ignore", "pipe", handle.fd] });
  const ended = once(child, "close");
  try {
    const [errors, [code]] = await Promise.all([child.stderr ? text(child.stderr) : "", ended]);
    if (code === 0) return true;
    if (!errors) return false;
    throw new Error(errors.trim());
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be locked (${messageOf(error)}): set DATA_DIR to a folder on a local disk, or set DATABASE_URL.`,
    );
  }
}

/** In ms. A server whose site was killed may take so long to shut down. */
const PATIENCE_MS = 20_000;

/** All processes of a server inherit the lock, so that an orphan is noticed in any container. */
export async function lockCluster(folder: string, stopping: AbortSignal): Promise<FileHandle> {
  const { clusterLock, pidFile } = embeddedPaths(folder);
  const since = performance.now();
  while (performance.now() - since < PATIENCE_MS) {
    const lock = await lockFile(clusterLock);
    if (lock) {
      // A killed server leaves it. PostgreSQL would trust its process ID, which another process may have now.
      await rm(pidFile, { force: true });
      return lock;
    }
    await pause(50, undefined, { signal: stopping });
  }
  throw new OperatorError(
    `Another PostgreSQL runs on the data folder ${folder}: stop it, or what started it, first.`,
  );
}
