import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { commandOf } from "../../dev/harness/processes.ts";
import { type Database, openDatabase } from "../../src/database/open.server.ts";
import { bareEnvironment } from "./environment.ts";
import { stillRunning } from "./program.ts";
import { endProcess } from "./wait-until-ready.ts";

export type AppProcess = ReturnType<ReturnType<typeof setUpDataFolders>["startApp"]>;
type Line = { url?: string; error?: string; result?: string };
const run = promisify(execFile);

/** Opens the trial database of a data folder in this process, like the site (`own`) or like a command (`join`). */
export const openTrial = (dataDir: string, sharing: "own" | "join" = "own"): Promise<Database> =>
  openDatabase({ databaseUrl: undefined, dataDir, log: pino({ level: "silent" }), sharing });

/** Each test gets an empty data folder, and a copy of one with a migrated database, which is faster. */
export function setUpDataFolders() {
  const children: ChildProcess[] = [];
  let parent = "";
  let migrated = "";
  let empty = "";
  beforeAll(async () => {
    parent = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-trial-")));
    const template = await openTrial(path.join(parent, "template"));
    await template.pool.query("create table marker as select 'still here' as value");
    await template.close();
  });
  beforeEach(async () => {
    migrated = path.join(await mkdtemp(path.join(parent, "migrated-")), "data");
    empty = await mkdtemp(path.join(parent, "empty-"));
    await run("cp", ["-a", path.join(parent, "template"), migrated]);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await Promise.all([waitForServerExit(migrated), waitForServerExit(empty)]);
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));
  return {
    migrated: () => migrated,
    empty: () => empty,
    async expectIntact(): Promise<void> {
      const database = await openTrial(migrated);
      expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
      await database.close();
    },
    child<T extends ChildProcess>(process: T): T {
      children.push(process);
      return process;
    },
    startApp(dataDir: string, sharing: "own" | "join" = "own", command: string[] = []) {
      const script = fileURLToPath(new URL("./trial-process.ts", import.meta.url));
      const [program = "", ...args] = [...command, process.execPath, script, dataDir, sharing];
      const options = { detached: true, env: bareEnvironment() };
      const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "ignore"] });
      children.push(child);
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const nextLine = async (): Promise<Line> => JSON.parse((await lines.next()).value ?? "{}");
      return { process: child, nextLine };
    },
  };
}

export const kill = (child: ChildProcess) => endProcess(child, "SIGKILL");

export async function stopApp(app: AppProcess): Promise<void> {
  app.process.stdin?.end();
  await once(app.process, "exit");
}

export async function serverPid(dataDir: string): Promise<number> {
  const file = await readFile(path.join(dataDir, "postgres", "postmaster.pid"), "utf8").catch(() => "");
  return Number.parseInt(file, 10) || 0;
}

export async function waitForExit(pid: number): Promise<void> {
  await expect.poll(() => stillRunning([pid]), { timeout: 5_000, interval: 20 }).toEqual([]);
}

async function waitForServerExit(dataDir: string): Promise<void> {
  const pid = await serverPid(dataDir);
  if (commandOf(pid).includes(dataDir)) await waitForExit(pid);
}

export function isLocked(dataDir: string): boolean {
  return spawnSync("flock", ["-n", path.join(dataDir, "postgres.lock"), "true"]).status !== 0;
}

/** Process IDs of the folder's app, of the shells that supervise its server, and of the server. */
export async function findProcesses(dataDir: string) {
  const { ino } = await stat(path.join(dataDir, "postgres"));
  const pids = (await readdir("/proc")).filter((name) => Number(name) > 0);
  const found = pids.map(async (pid) => ({
    pid: Number(pid),
    command: await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    isServer: await stat(`/proc/${pid}/cwd`).then(
      (cwd) => cwd.ino === ino,
      () => false,
    ),
  }));
  const all = await Promise.all(found);
  const running = (program: string) =>
    all
      .filter(({ command }) => command.startsWith(program) && command.includes(dataDir))
      .map(({ pid }) => pid);
  return {
    shells: running("/bin/sh\0-c"),
    servers: all.filter(({ isServer }) => isServer).map(({ pid }) => pid),
    app: running(process.execPath)[0] ?? 0,
  };
}

export const markerQuery = "select value from marker";
export const markerRows = [{ value: "still here" }];
