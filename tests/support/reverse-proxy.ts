import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A reverse proxy with its configuration of deploy/, in front of several servers on this machine. */
export interface ReverseProxy {
  origin: string;
  /** Stops it and removes its folder. */
  close(): Promise<void>;
}

const folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/**
 * The path of a program of the system. As root on Debian it is installed if it is missing. Null, with a
 * message on the console, if there is none.
 * @param packageName Debian's name of the package
 */
export async function findProgram(name: string, packageName: string): Promise<string | null> {
  const installed = () => folders.map((folder) => join(folder, name)).find(existsSync) ?? null;
  if (installed()) return installed();
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`Installing ${packageName} for the tests of several instances …`);
    // At this run level Debian does not start the service.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const apt = (...args: string[]) => once(spawn("apt-get", args, { stdio: "ignore", env }), "exit");
    await apt("update");
    await apt("install", "--yes", "--no-install-recommends", packageName);
  }
  if (!installed())
    console.log(`Skipped: several instances behind ${name}, because there is none. Install ${packageName}.`);
  return installed();
}

interface ProxyProcess {
  program: string;
  port: number;
  /** The files of its folder, by name. */
  files: Record<string, string>;
  args(folder: string): string[];
}

/** Resolves when it forwards requests to a healthy server. */
export async function startProxyProcess({ program, port, files, args }: ProxyProcess): Promise<ReverseProxy> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-proxy-"));
  // Proxies started by root may run as another user.
  await chmod(folder, 0o755);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args(folder), { env, stdio: ["ignore", "ignore", "inherit"] });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(origin, child, () => "See what it printed above.");
  return {
    origin,
    async close() {
      await stop(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  if (child.exitCode !== null || !child.kill("SIGTERM")) return;
  await exited;
}

export function readDeployed(name: string): Promise<string> {
  return readFile(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
}

/** @throws Error if the text has nothing to replace */
export function replace(text: string, pattern: RegExp, replacer: (...matches: string[]) => string): string {
  if (!pattern.test(text)) throw new Error(`The configuration in deploy/ has no ${pattern}`);
  return text.replace(pattern, replacer);
}
