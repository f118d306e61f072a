import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** The process ID in a cluster's `postmaster.pid`, which means something in the server's container alone. */
export async function readServerPid(cluster: string): Promise<number | null> {
  const pidFile = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  return Math.abs(Number.parseInt(pidFile, 10)) || null; // negative in PostgreSQL's single-user mode
}

/** The process ID of the server that runs on a cluster; null if there is none, or none that can be seen. */
export async function findServer(cluster: string): Promise<number | null> {
  const pid = await readServerPid(cluster);
  return pid !== null && (await isServerOf(cluster, pid)) ? pid : null;
}

/** Any process may have the number by now. The server is the one that works in the cluster. */
async function isServerOf(cluster: string, pid: number): Promise<boolean> {
  if (process.platform === "linux") {
    const [folder, used] = await Promise.all([cluster, `/proc/${pid}/cwd`].map(identify));
    return used !== null && used === folder;
  }
  const ps = promisify(execFile)("/bin/ps", ["-ww", "-o", "args=", "-p", String(pid)]);
  const { stdout } = await ps.catch(() => ({ stdout: "" }));
  return ` ${stdout.trim()} `.includes(` -D ${cluster} `);
}

/** Device and inode of a folder; null if it cannot be seen. */
async function identify(folder: string): Promise<string | null> {
  return stat(folder).then(
    ({ dev, ino }) => `${dev}/${ino}`,
    () => null,
  );
}

/** Sends a signal to a process. Ignores errors: it may have ended, or belong to another user. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Callers watch for its end anyway.
  }
}
