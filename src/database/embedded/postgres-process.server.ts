import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import type { Binaries } from "./binaries.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import { giveOwnership, type RunAs } from "./run-as.server.ts";

/**
 * Runs the server until its input is closed, as it is when this process ends, even by SIGKILL. Then requests a
 * fast shutdown (SIGINT). Has its own session, so that it gets no Ctrl-C.
 */
const supervisor = `
trap '' HUP INT TERM
exec 4<&0
"$@" </dev/null 4<&- &
server=$!
(while read -r _ <&4; do :; done; kill -s INT "$server") &
watcher=$!
wait "$server"
status=$?
kill -s KILL "$watcher" 2>/dev/null
exit "$status"
`;

export interface ServerOptions {
  dataDir: string;
  port: number;
  binaries: Binaries;
  runAs: RunAs;
  settings: Record<string, string>;
  /** Inherited by the server, which keeps it until the end of its last process. */
  lock: FileHandle;
  signal: AbortSignal;
}

export interface RunningServer {
  exited: Promise<void>;
  pid: number;
}

export class ServerStartError extends Error {
  override name = "ServerStartError";

  constructor(log: string) {
    super(fatalError(log));
  }
}

export function fatalError(output: string): string {
  const lines = output.trim().split("\n");
  const index = lines.findLastIndex((line) => /(error|FATAL|PANIC):/.test(line));
  const [error = lines.at(-1), ...more] = lines.slice(index < 0 ? lines.length : index);
  const explanation = more.filter((line) => /(DETAIL|HINT):/.test(line));
  return [error, ...explanation]
    .map((line) => line?.replace(/^.*(FATAL|PANIC|DETAIL|HINT): +/, ""))
    .join(". ");
}

/** No timeout: crash recovery may take long. @throws ServerStartError */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { log, pidFile } = embeddedPaths(options.dataDir);
  const logSize = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  const { child, exited } = await spawnSupervised(options, log);
  stopWhenAborted(options.signal, child);
  while (child.exitCode === null && child.signalCode === null) {
    const { pid, isReady } = await readState(pidFile);
    if (isReady) return { exited, pid };
    await pause(25);
  }
  await exited;
  const written = await readFile(log).catch(() => Buffer.alloc(0));
  throw new ServerStartError(written.subarray(logSize).toString());
}

function stopWhenAborted(signal: AbortSignal, child: ChildProcess): void {
  const stop = () => child.stdin?.end();
  child.once("exit", () => signal.removeEventListener("abort", stop));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
}

async function spawnSupervised(options: ServerOptions, log: string) {
  const { runAs, binaries, dataDir, lock } = options;
  const server = [binaries.postgres, "-D", embeddedPaths(dataDir).cluster, ...settingArguments(options)];
  const [command = "", ...args] = [...runAs.prefix, "/bin/sh", "-c", supervisor, "sh", ...server];
  const logFile = await open(log, "a", 0o600);
  await giveOwnership(runAs, log);
  try {
    const child = spawn(command, args, {
      ...runAs.ids,
      env: binaries.env,
      cwd: "/",
      detached: true,
      stdio: ["pipe", logFile.fd, logFile.fd, lock.fd],
    });
    child.stdin?.on("error", () => {}); // EPIPE after its exit
    await once(child, "spawn"); // rejects if it cannot be spawned
    return { child, exited: once(child, "exit").then(() => {}) };
  } finally {
    await logFile.close();
  }
}

function settingArguments({ port, settings }: ServerOptions): string[] {
  const all = { ...settings, listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Line 1 of `postmaster.pid` is the process ID, line 8 the state. */
async function readState(pidFile: string): Promise<{ pid: number; isReady: boolean }> {
  const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
  return { pid: Number(lines[0]), isReady: lines[7]?.trim() === "ready" };
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;

interface RestartOptions {
  server: RunningServer;
  restart: () => Promise<RunningServer>;
  log: Logger;
  signal: AbortSignal;
}

export async function restartOnExit({ server, restart, log, signal }: RestartOptions): Promise<void> {
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
