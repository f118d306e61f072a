import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseEnv } from "node:util";
import { freePort } from "../dev/harness/free-port.ts";
import { root } from "./setup.mjs";

/** How long a start may take, and how long a stop may take before it is forced, in ms. */
const START_PATIENCE = 120_000;
const STOP_PATIENCE = 20_000;

/** The product as a stranger runs it: `npm start`, with its stand-ins, on a data folder of its own. */
export interface RunningSite {
  origin: string;
  /** The process number of `npm start`, from which all the others descend. */
  pid: number;
  /** From the command to the first whole page, in ms. */
  startedIn: number;
  /** Ctrl-C; resolves when the last process has ended. */
  stop(): Promise<void>;
}

/** An empty data folder, which goes away with the stack. */
export async function temporaryDataDir(running: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "front-row-"));
  running.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}

/**
 * Runs `npm start` on a free port until `stop()` or the end of the stack. Resolves with the first whole page of the list.
 * @throws Error with what it printed when it ends by itself, or takes longer than two minutes
 */
export async function startSite(dataDir: string, running: AsyncDisposableStack): Promise<RunningSite> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const stop = () => npm.stop();
  // First, because a stack that is gone already refuses, and nothing may be started then.
  running.defer(stop);
  const began = performance.now();
  const npm = runStart({ PORT: String(port), DATA_DIR: dataDir });
  if (await isListed(origin, npm)) return { origin, pid: npm.pid, startedIn: performance.now() - began, stop };
  throw new Error(`npm start did not get as far as the list:\n${npm.printed.join("")}`);
}

interface StartCommand {
  pid: number;
  printed: string[];
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** In a process group of its own: this terminal's Ctrl-C is for whoever asked for the site, who then stops it in order. */
function runStart(variables: Record<string, string>): StartCommand {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, ...blankedSettings(), ...variables };
  const npm = spawn("npm", ["start"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let hasEnded = false;
  // When the last process that could print has ended, which npm itself does not always wait for.
  const closed = once(npm, "close").then(() => {
    hasEnded = true;
  });
  return {
    pid: npm.pid ?? 0,
    printed: collectOutput(npm),
    hasEnded: () => hasEnded,
    async stop() {
      if (hasEnded) return;
      signalGroup(npm, "SIGINT");
      const forced = setTimeout(() => signalGroup(npm, "SIGKILL"), STOP_PATIENCE);
      await closed;
      clearTimeout(forced);
    },
  };
}

/** A developer's own settings are none of our business: an empty variable counts as absent, whatever `.env` says. */
function blankedSettings(): Record<string, string> {
  const file = join(root, ".env");
  const names = existsSync(file) ? Object.keys(parseEnv(readFileSync(file, "utf8"))) : [];
  return Object.fromEntries(names.map((name) => [name, ""]));
}

function collectOutput(npm: ChildProcess): string[] {
  const printed: string[] = [];
  for (const stream of [npm.stdout, npm.stderr]) stream?.setEncoding("utf8").on("data", (text) => printed.push(text));
  return printed;
}

async function isListed(origin: string, npm: StartCommand): Promise<boolean> {
  const deadline = AbortSignal.timeout(START_PATIENCE);
  while (!npm.hasEnded() && !deadline.aborted) {
    const page = await fetch(origin, { signal: deadline })
      .then((answer) => answer.text())
      .catch(() => "");
    if (/Showing 1-20 of .*<\/html>/s.test(page)) return true;
    await wait(10);
  }
  return false;
}

/** As a terminal does. Processes outside the group end by themselves when those in it are gone. */
function signalGroup(npm: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (npm.pid !== undefined) process.kill(-npm.pid, signal);
  } catch {
    // Its last process is just ending by itself.
  }
}
