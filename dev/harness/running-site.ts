import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseEnv } from "node:util";
import { root } from "../../scripts/setup.mjs";
import { freePort } from "./free-port.ts";

/** In ms. */
const START_TIMEOUT = 120_000;
const STOP_TIMEOUT = 20_000;

/** The site of `npm start`, with its fakes and its own data folder. */
export interface RunningSite {
  origin: string;
  /** The process of `npm start`, the ancestor of all others. */
  pid: number;
  /** In ms, from the command to the first whole page. */
  startedIn: number;
  /** Sends Ctrl-C and waits for the end of all processes. */
  stop(): Promise<void>;
}

/** The stack removes it. */
export async function temporaryDataDir(running: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "front-row-"));
  running.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Resolves when the site serves the whole list. @throws Error with the output after an exit, or after two minutes */
export async function startSite(
  dataDir: string,
  running: AsyncDisposableStack,
  variables: Record<string, string> = {},
): Promise<RunningSite> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const stop = () => npm.stop();
  // Before the start, because a disposed stack throws here: then nothing may start.
  running.defer(stop);
  const startedAt = performance.now();
  const npm = runStart({ PORT: String(port), DATA_DIR: dataDir, ...variables });
  if (await isListed(origin, npm))
    return { origin, pid: npm.pid, startedIn: performance.now() - startedAt, stop };
  throw new Error(`npm start did not get as far as the list:\n${npm.printed.join("")}`);
}

interface StartCommand {
  pid: number;
  printed: string[];
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** In its own process group: the terminal's Ctrl-C reaches only the caller, which stops the site. */
function runStart(variables: Record<string, string>): StartCommand {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, ...blankedSettings(), ...variables };
  const npm = spawn("npm", ["start"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let hasEnded = false;
  // "close" waits for the last process with this output. npm does not always wait for all.
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
      const forced = setTimeout(() => signalGroup(npm, "SIGKILL"), STOP_TIMEOUT);
      await closed;
      clearTimeout(forced);
    },
  };
}

/** An empty variable counts as absent. */
function blankedSettings(): Record<string, string> {
  const file = join(root, ".env");
  const names = existsSync(file) ? Object.keys(parseEnv(readFileSync(file, "utf8"))) : [];
  return Object.fromEntries(names.map((name) => [name, ""]));
}

function collectOutput(npm: ChildProcess): string[] {
  const printed: string[] = [];
  for (const stream of [npm.stdout, npm.stderr])
    stream?.setEncoding("utf8").on("data", (text) => printed.push(text));
  return printed;
}

async function isListed(origin: string, npm: StartCommand): Promise<boolean> {
  const deadline = AbortSignal.timeout(START_TIMEOUT);
  while (!npm.hasEnded() && !deadline.aborted) {
    const page = await fetch(origin, { signal: deadline })
      .then((response) => response.text())
      .catch(() => "");
    if (/Showing 1-20 of .*<\/html>/s.test(page)) return true;
    await wait(10);
  }
  return false;
}

/** Like a terminal. Processes outside of the group exit by themselves after the group. */
function signalGroup(npm: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (npm.pid !== undefined) process.kill(-npm.pid, signal);
  } catch {
    // The last process of the group has just exited.
  }
}
