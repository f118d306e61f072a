import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../scripts/setup.mjs";

/** The product as a stranger runs it: `npm start` on a data folder of its own. */
export interface RunningSite {
  origin: string;
  /** From the command to the first whole page, in ms. */
  startedIn: number;
  /** Resident memory of the serving process, in MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** An empty data folder, and what removes it. */
export function temporaryDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "front-row-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startSite(dataDir: string): Promise<RunningSite> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir },
    stdio: "ignore",
  });
  await untilListed(origin, npm);
  return {
    origin,
    startedIn: performance.now() - began,
    memory: () => residentMemory(port),
    stop: () => stop(npm),
  };
}

async function untilListed(origin: string, npm: ChildProcess): Promise<void> {
  while (npm.exitCode === null) {
    const page = await fetch(origin).then((answer) => answer.text(), () => "");
    if (page.includes("Showing")) return;
    await wait(20);
  }
  throw new Error(`npm start ended with code ${npm.exitCode}`);
}

async function stop(npm: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => npm.once("exit", resolve));
  npm.kill("SIGINT");
  await ended;
}

/** Of the process that listens on the port (Linux only). */
function residentMemory(port: number): number {
  const pid = listeningProcess(port);
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}
