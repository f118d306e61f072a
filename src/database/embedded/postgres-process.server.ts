import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../lib/error-message.ts";
import type { Binaries } from "./binaries.server.ts";
import { readServerPid, sendSignal } from "./processes.server.ts";
import { giveOwnership, type RunAs } from "./run-as.server.ts";

/**
 * A shell script that runs the server until its standard input is closed. When this process ends, even by
 * SIGKILL, the script requests a fast shutdown (SIGINT). It runs in its own session, so Ctrl-C in a terminal
 * does not reach it.
 */
const supervisor = `
trap '' HUP INT TERM
exec 4<&0
"$@" </dev/null >&2 4<&- &
server=$!
echo "$server"
exec >&2
(while read -r _ <&4; do :; done; kill -s INT "$server") &
watcher=$!
wait "$server"
status=$?
kill -s KILL "$watcher" 2>/dev/null
exit "$status"
`;

export interface ServerOptions {
  cluster: string;
  logFile: string;
  port: number;
  binaries: Binaries;
  runAs: RunAs;
  /** PostgreSQL settings, by name. */
  settings: Record<string, string>;
  /** The lock of the cluster. The server inherits it and keeps it until its last process has ended. */
  lock: FileHandle;
  /** Aborting it shuts the server down, also during its start. */
  signal: AbortSignal;
}

/** A server that accepts connections. */
export interface RunningServer {
  /** Resolves when the process has exited, for any reason. */
  exited: Promise<void>;
  pid: number;
}

/** The server exited before it accepted connections. The message is what it wrote to its log. */
export class ServerStartError extends Error {
  override name = "ServerStartError";

  /** The last fatal error in the log with its detail and hint, in one line. */
  get reason(): string {
    return fatalError(this.message);
  }
}

/** The last fatal error that a program of PostgreSQL has printed, with its detail and hint, in one line. */
export function fatalError(output: string): string {
  const lines = output.trim().split("\n");
  const index = lines.findLastIndex((line) => /(error|FATAL|PANIC):/.test(line));
  const [error = lines.at(-1), ...more] = lines.slice(index < 0 ? lines.length : index);
  const explanation = more.filter((line) => /(DETAIL|HINT):/.test(line));
  return [error, ...explanation]
    .map((line) => line?.replace(/^.*(FATAL|PANIC|DETAIL|HINT): +/, ""))
    .join(". ");
}

/** Why a server did not start, in one line. */
export function describeStartError(error: unknown): string {
  return error instanceof ServerStartError ? error.reason : messageOf(error);
}

/** How long a fast shutdown may take before an immediate one (SIGQUIT), in ms. */
const FAST_SHUTDOWN_MS = 15_000;

/**
 * Starts the server and waits until it accepts connections, without a timeout: crash recovery may take long.
 * @throws ServerStartError
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const logSize = await stat(options.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  const stale = await lastChange(options.cluster);
  const { child, exited, pidLine } = await spawnSupervised(options);
  const pid = Number(await pidLine);
  stopWhenAborted(options.signal, child, pid);
  if (await waitUntilReady(options.cluster, stale, pid, child)) return { exited, pid };
  await exited;
  const text = await readFile(options.logFile).catch(() => Buffer.alloc(0));
  throw new ServerStartError(text.subarray(logSize).toString().trim());
}

function stopWhenAborted(signal: AbortSignal, child: ChildProcess, pid: number): void {
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.stdin?.end();
    if (pid) killTimer = setTimeout(() => sendSignal(pid, "SIGQUIT"), FAST_SHUTDOWN_MS);
  };
  child.once("exit", () => {
    clearTimeout(killTimer);
    signal.removeEventListener("abort", stop);
  });
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
}

interface Supervised {
  child: ChildProcess;
  exited: Promise<void>;
  /** The server's process ID; empty if it did not start. */
  pidLine: Promise<string>;
}

async function spawnSupervised(options: ServerOptions): Promise<Supervised> {
  const { runAs, binaries, cluster, lock } = options;
  const server = [binaries.postgres, "-D", cluster, ...settingArguments(options)];
  const [command = "", ...args] = [...runAs.prefix, "/bin/sh", "-c", supervisor, "sh", ...server];
  const logFile = await open(options.logFile, "a", 0o600);
  await giveOwnership(runAs, options.logFile);
  // The lock says that no server runs, so any process that has the number of the last one is another.
  // PostgreSQL goes by the number, unless it is that of an ancestor, which pg_ctl tells it so.
  const stalePid = await readServerPid(cluster);
  const env = stalePid === null ? binaries.env : { ...binaries.env, PG_GRANDPARENT_PID: String(stalePid) };
  try {
    const child = spawn(command, args, {
      ...runAs.ids,
      env,
      cwd: "/",
      detached: true,
      stdio: ["pipe", "pipe", logFile.fd, lock.fd],
    });
    child.stdin?.on("error", () => {}); // EPIPE after its exit, which "exit" reports
    // Subscribe to both at once: a child may exit before a later listener is attached.
    return { child, exited: once(child, "exit").then(() => {}), pidLine: firstLine(child.stdout) };
  } finally {
    await logFile.close();
  }
}

function settingArguments({ port, settings }: ServerOptions): string[] {
  const all = { ...settings, listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function firstLine(stream: Readable | null): Promise<string> {
  if (stream) for await (const line of createInterface(stream)) return line;
  return "";
}

const pidFileOf = (cluster: string) => path.join(cluster, "postmaster.pid");

/**
 * Polls `postmaster.pid`, where line 1 is the process ID and line 8 the state. False if it exits.
 * @param stale when a file of a killed server was changed: in another container, that one had the same ID
 */
async function waitUntilReady(
  cluster: string,
  stale: bigint | null,
  pid: number,
  child: ChildProcess,
): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const isNew = (await lastChange(cluster)) !== stale;
    const lines = (await readFile(pidFileOf(cluster), "utf8").catch(() => "")).split("\n");
    if (pid && isNew && Number(lines[0]) === pid && lines[7]?.trim() === "ready") return true;
    await pause(25);
  }
  return false;
}

/** Null without a file. */
async function lastChange(cluster: string): Promise<bigint | null> {
  return stat(pidFileOf(cluster), { bigint: true }).then(
    ({ ctimeNs }) => ctimeNs,
    () => null,
  );
}
