import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../../lib/error-message.ts";
import type { Binaries } from "./binaries.server.ts";
import { sendSignal } from "./processes.server.ts";
import { giveTo, type RunAs } from "./run-as.server.ts";

/**
 * Runs the server for as long as somebody holds the other end of standard input: when this process ends, however it ends,
 * the server is told to shut down fast (SIGINT). Ctrl-C in a terminal does not reach it: it is in a session of its own.
 */
const supervisor = `
trap '' HUP INT TERM
exec 3<&0
"$@" </dev/null >&2 3<&- &
server=$!
echo "$server"
exec >&2
(while read -r _ <&3; do :; done; kill -s INT "$server") &
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
  /** A process that only happens to have the number in a stale `postmaster.pid`. */
  unrelatedPid: number | null;
  /** Aborted: the server shuts down, whatever it is doing. */
  signal: AbortSignal;
}

/** A server that accepts connections. */
export interface RunningServer {
  /** Settles when it has ended, for whatever reason. */
  exited: Promise<void>;
  pid: number;
}

/** The server ended before it accepted connections; the message is what it wrote to its log meanwhile. */
export class ServerStartFailure extends Error {
  override name = "ServerStartFailure";

  /** Its last words, in one line. */
  get reason(): string {
    const lines = this.message.split("\n");
    return (lines.findLast((line) => /(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? "").replace(
      /^.*(FATAL|PANIC): +/,
      "",
    );
  }
}

/** Why a server did not start, in one line. */
export function startProblem(error: unknown): string {
  return error instanceof ServerStartFailure ? error.reason : messageOf(error);
}

/** How long a fast shutdown may take before the server is stopped at once and left to recovery. */
const FAST_SHUTDOWN_MS = 15_000;

/**
 * Starts the server and waits until it accepts connections, which takes as long as recovery after a crash does.
 * @throws ServerStartFailure
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const logged = await stat(options.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  const { child, exited, told } = await spawnSupervised(options);
  const pid = Number(await told);
  stopWhenAborted(options.signal, child, pid);
  if (await becomesReady(options.cluster, pid, child)) return { exited, pid };
  await exited;
  const text = await readFile(options.logFile).catch(() => Buffer.alloc(0));
  throw new ServerStartFailure(text.subarray(logged).toString().trim());
}

function stopWhenAborted(signal: AbortSignal, child: ChildProcess, pid: number): void {
  let hurry: NodeJS.Timeout | undefined;
  const stop = () => {
    child.stdin?.end();
    if (pid) hurry = setTimeout(() => sendSignal(pid, "SIGQUIT"), FAST_SHUTDOWN_MS);
  };
  child.once("exit", () => {
    clearTimeout(hurry);
    signal.removeEventListener("abort", stop);
  });
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
}

interface Supervised {
  child: ChildProcess;
  exited: Promise<void>;
  /** The server's process number; empty when it never began. */
  told: Promise<string>;
}

async function spawnSupervised(options: ServerOptions): Promise<Supervised> {
  const { runAs, binaries, unrelatedPid } = options;
  const server = [binaries.postgres, "-D", options.cluster, ...settingArguments(options)];
  const [command = "", ...words] = [...runAs.prefix, "/bin/sh", "-c", supervisor, "sh", ...server];
  const logFile = await open(options.logFile, "a", 0o600);
  await giveTo(runAs, options.logFile);
  // PostgreSQL takes this one for its own ancestor (pg_ctl uses it so) and not for a server on the same folder.
  const env = unrelatedPid ? { ...binaries.env, PG_GRANDPARENT_PID: String(unrelatedPid) } : binaries.env;
  try {
    const child = spawn(command, words, {
      ...runAs.ids,
      env,
      cwd: "/",
      detached: true,
      stdio: ["pipe", "pipe", logFile.fd],
    });
    child.stdin?.on("error", () => {}); // it has ended: its exit says so
    // Both at once: of a child that has ended before anybody listens, nothing is told any more, not even that it has.
    return { child, exited: once(child, "exit").then(() => {}), told: firstLine(child.stdout) };
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

/** The server itself writes its state into the last line of `postmaster.pid`, under its own process number. */
async function becomesReady(cluster: string, pid: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const lines = (await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
    if (pid && Number(lines[0]) === pid && lines[7]?.trim() === "ready") return true;
    await pause(25);
  }
  return false;
}
