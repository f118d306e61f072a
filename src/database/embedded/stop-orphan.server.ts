import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { commandLine, processIdentity, sendSignal } from "./processes.server.ts";

/** A fast shutdown, then an immediate one, after which PostgreSQL recovers at its next start. */
const attempts = [
  { signal: "SIGINT", seconds: 15 },
  { signal: "SIGQUIT", seconds: 5 },
] as const;

/**
 * Stops a server that an earlier run left behind, so that two never use the same cluster.
 * @returns the process ID in a stale `postmaster.pid` if an unrelated process has it now, else null
 * @throws DatabaseStartError if the server does not stop
 */
export async function stopOrphan(cluster: string, log: Logger): Promise<number | null> {
  const pidFile = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Math.abs(Number.parseInt(pidFile, 10)); // negative in PostgreSQL's single-user mode
  const identity = pid ? await processIdentity(pid) : null;
  if (!identity) return null;
  if (!` ${await commandLine(pid)} `.includes(` -D ${cluster} `)) return pid;

  log.warn({ process: pid }, "Stopping the embedded database that an earlier run left behind");
  for (const { signal, seconds } of attempts) {
    if (await endsAfter(signal, pid, identity, seconds)) return null;
  }
  throw new DatabaseStartError(`The embedded database of an earlier run (process ${pid}) does not stop.`);
}

async function endsAfter(
  signal: NodeJS.Signals,
  pid: number,
  identity: string,
  seconds: number,
): Promise<boolean> {
  sendSignal(pid, signal);
  for (let waited = 0; waited < seconds * 1000; waited += 50) {
    if ((await processIdentity(pid)) !== identity) return true;
    await pause(50);
  }
  return false;
}
