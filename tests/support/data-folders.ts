import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { commandLine, processIdentity } from "../../src/database/embedded/processes.server.ts";
import { type Database, openDatabase } from "../../src/database/open.server.ts";
import { bareEnvironment } from "./environment.ts";

/** Another process with the database of the data folder open. */
export interface AppProcess {
  process: ChildProcess;
  /** The next line it prints. */
  nextLine(): Promise<{ url?: string; error?: string; answer?: string }>;
}

const log = pino({ level: "silent" });
const run = promisify(execFile);

/**
 * For tests of the embedded server: a data folder with a migrated database for each test of the file (a copy, which takes
 * less time than making one) and an empty one, and processes that use it. Whatever they leave is cleared away.
 */
export function setUpDataFolders() {
  const children: ChildProcess[] = [];
  let parent = "";
  let ready = "";
  let empty = "";

  const open = (dataDir: string): Promise<Database> =>
    openDatabase({ databaseUrl: undefined, dataDir, log, sharing: "own" });

  beforeAll(async () => {
    parent = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-embedded-")));
    const model = await open(path.join(parent, "model"));
    await model.pool.query("create table memory as select 'still here' as what");
    await model.close();
  });
  beforeEach(async () => {
    ready = path.join(await mkdtemp(path.join(parent, "ready-")), "data");
    empty = await mkdtemp(path.join(parent, "empty-"));
    await run("cp", ["-a", path.join(parent, "model"), ready]);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await Promise.all([serverEnded(ready), serverEnded(empty)]);
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  return {
    /** A data folder with a migrated database. */
    ready: () => ready,
    /** A new one. */
    empty: () => empty,
    /** Opens the database of a folder as the app does, in this process. */
    open,
    /** Remembers a process, to end it with the test. */
    child<T extends ChildProcess>(process: T): T {
      children.push(process);
      return process;
    },
    /** Opens it as the app or a tool does, in another. */
    startApp(dataDir: string, sharing: "own" | "join" = "own", command: string[] = []): AppProcess {
      const script = fileURLToPath(new URL("./embedded-database-process.ts", import.meta.url));
      const [program = "", ...words] = [...command, process.execPath, script, dataDir, sharing];
      const child = spawn(program, words, {
        stdio: ["pipe", "pipe", "ignore"],
        detached: true,
        env: bareEnvironment(),
      });
      children.push(child);
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      return { process: child, nextLine: async () => JSON.parse((await lines.next()).value ?? "{}") };
    },
  };
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Ends it in good order. */
export async function stopApp(app: AppProcess): Promise<void> {
  app.process.stdin?.end();
  await once(app.process, "exit");
}

/** The process number of the server on a data folder, from the file that it keeps; 0 when it has ended in good order. */
export async function serverPid(dataDir: string): Promise<number> {
  const file = await readFile(path.join(dataDir, "postgres", "postmaster.pid"), "utf8").catch(() => "");
  return Number.parseInt(file, 10) || 0;
}

/** Waits until a process has ended, for a few seconds. */
export async function waitForExit(pid: number): Promise<void> {
  await expect.poll(() => processIdentity(pid), { timeout: 5_000, interval: 20 }).toBeNull();
}

async function serverEnded(dataDir: string): Promise<void> {
  const pid = await serverPid(dataDir);
  if ((await commandLine(pid)).includes(dataDir)) await waitForExit(pid);
}

/** The claims on a data folder. */
export async function listLockFiles(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => name.endsWith(".lock"));
}

export async function query(url: string | undefined, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

/** What a folder with a database from before holds. */
export const markerQuery = "select what from memory";
export const markerRows = [{ what: "still here" }];
