import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { endProcess, hasExited, waitUntilReady } from "./wait-until-ready.ts";

interface ProxyOptions {
  command(folder: string): readonly string[];
  /** The loopback port on which it listens. */
  port: number;
  files: Record<string, string>;
  /** Whether it is ready only with a healthy server behind it; otherwise once it accepts connections. */
  isHttp?: boolean;
}

export async function startProxy({ command, port, files, isHttp }: ProxyOptions) {
  const folder = await mkdtemp(join(tmpdir(), "front-row-proxy-"));
  await chmod(folder, 0o755); // proxies started by root may run as another user
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const origin = `http://127.0.0.1:${port}`;
  const [program = "", ...args] = command(folder);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const start = async () => {
    const started = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
    if (isHttp) await waitUntilReady(origin, started, () => "See what it printed above.");
    else await vi.waitUntil(() => accepts(port, started), { timeout: 30_000, interval: 20 });
    return started;
  };
  let child = await start();
  const stop = async (signal: NodeJS.Signals) => {
    const ended = endProcess(child, signal);
    child.kill("SIGCONT"); // it may be stopped
    await ended;
  };
  return {
    origin,
    folder,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async restart() {
      await stop("SIGKILL");
      child = await start();
    },
    async close() {
      await stop("SIGTERM");
      await rm(folder, { recursive: true });
    },
  };
}

function accepts(port: number, child: ChildProcess): Promise<boolean> {
  if (hasExited(child)) throw new Error(`${child.spawnargs.join(" ")} exited before it was ready`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

const folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/** Null if there is none. Root on Debian installs it. @param packageName without one, it is not installed */
export async function findProgram(name: string, packageName?: string): Promise<string | null> {
  const installed = () => folders.map((folder) => join(folder, name)).find(existsSync) ?? null;
  if (!installed() && packageName && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`Installing ${packageName} for the tests of several instances …`);
    // At this run level Debian does not start the service.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const apt = (...args: string[]) => once(spawn("apt-get", args, { stdio: "ignore", env }), "exit");
    await apt("update");
    await apt("install", "--yes", "--no-install-recommends", packageName);
  }
  if (!installed()) console.log(`Skipped: what needs ${name}, because there is none.`);
  return installed();
}

export type Change = readonly [RegExp, string | ((...matches: string[]) => string)];

/** A file of deploy/ with changes. @throws Error if a change has nothing to replace */
export async function readDeployed(name: string, changes: readonly Change[] = []) {
  const text = await readFile(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
  return changes.reduce((before, [pattern, replacement]) => {
    if (before.search(pattern) < 0) throw new Error(`deploy/${name} has no ${pattern}`);
    return before.replace(pattern, (...matches) =>
      typeof replacement === "string" ? replacement : replacement(...matches),
    );
  }, text);
}
