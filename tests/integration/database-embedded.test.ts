import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, realpath, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commandLine, processIdentity, sendSignal } from "../../src/database/embedded/processes.server.ts";
import { type Database, openDatabase } from "../../src/database/open.server.ts";

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const log = pino({ level: "silent" });
let dataDir: string;
let children: ChildProcess[];

beforeEach(async () => {
  children = [];
  dataDir = await realpath(await mkdtemp(path.join(tmpdir(), "front-row-embedded-")));
});

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await serverEnded();
  await rm(dataDir, { recursive: true, force: true });
});

const open = (): Promise<Database> => openDatabase({ databaseUrl: undefined, dataDir, log, sharing: "own" });

interface App {
  process: ChildProcess;
  /** The next line it prints. */
  says(): Promise<{ url?: string; error?: string; answer?: string }>;
}

/** Another process with the database of the data folder open. */
function startApp(sharing: "own" | "join" = "own", command: string[] = []): App {
  const script = path.resolve(import.meta.dirname, "../support/postgres-app.ts");
  const [program = "", ...words] = [...command, process.execPath, script, dataDir, sharing];
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], detached: true });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { process: child, says: async () => JSON.parse((await lines.next()).value ?? "{}") };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function endApp(app: App): Promise<void> {
  app.process.stdin?.end();
  await once(app.process, "exit");
}

/** The process number of the server on the data folder, from the file that it keeps. */
async function serverPid(): Promise<number> {
  const file = await readFile(path.join(dataDir, "postgres", "postmaster.pid"), "utf8").catch(() => "");
  return Number.parseInt(file, 10) || 0;
}

async function serverEnded(): Promise<void> {
  const pid = await serverPid();
  if (!(await commandLine(pid)).includes(dataDir)) return;
  await expect.poll(() => processIdentity(pid), { timeout: 10_000, interval: 20 }).toBeNull();
}

async function query(url: string | undefined, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(statement).finally(() => client.end())).rows;
}

const remember = "create table memory as select 'still here' as what";
const recall = "select what from memory";
const remembered = [{ what: "still here" }];

test("when the app is killed the database stops by itself, and the next start finds the data", async () => {
  const app = startApp();
  const { url } = await app.says();
  await query(url, remember);

  const pid = await serverPid();
  await kill(app.process);
  await expect.poll(() => processIdentity(pid), { timeout: 3_000, interval: 20 }).toBeNull();

  const database = await open();
  expect((await database.pool.query(recall)).rows).toEqual(remembered);
  await database.close();
});

test("when the server is killed it comes back on the same port, and the pool works again", async () => {
  const database = await open();
  await database.pool.query(remember);
  const killed = await serverPid();
  sendSignal(killed, "SIGKILL");

  const answer = () =>
    database.pool.query(recall).then(
      ({ rows }) => rows,
      () => "no answer",
    );
  await expect.poll(answer, { timeout: 10_000, interval: 50 }).toEqual(remembered);
  expect(await serverPid()).not.toBe(killed);
  await database.close();
  expect(await processIdentity(await serverPid())).toBeNull();
});

test("a transaction that is open while the server is killed fails, and the process goes on", async () => {
  const database = await open();
  const outcome = database.db.transaction().execute(async (transaction) => {
    await transaction.selectFrom("shows").selectAll().execute();
    const killed = await serverPid();
    sendSignal(killed, "SIGKILL");
    await expect.poll(() => processIdentity(killed), { interval: 20 }).toBeNull();
    return transaction.selectFrom("shows").selectAll().execute();
  });
  await expect(outcome).rejects.toThrow();
  await database.close();
});

test("Ctrl-C reaches the app and not the database, which answers until the app has closed it", async () => {
  const app = startApp();
  await app.says();
  const pid = await serverPid();
  process.kill(-(app.process.pid ?? 0), "SIGINT");
  expect(await app.says()).toEqual({ answer: "here" });
  await once(app.process, "exit");
  expect(await processIdentity(pid)).toBeNull();
});

test("a second app on the same data folder is refused in one line, and the first goes on", async () => {
  const first = await open();
  const refusal = `The data folder ${dataDir} is in use by another Front Row (process ${process.pid}).`;
  expect(await startApp().says()).toEqual({ error: refusal });
  await expect(open()).rejects.toThrow(refusal);
  expect((await first.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await first.close();
});

test("of apps that start together on a new data folder one gets it", async () => {
  const said = await Promise.all(Array.from({ length: 4 }, () => startApp().says()));
  expect(said.filter(({ url }) => url)).toHaveLength(1);
  expect(said.filter(({ error }) => error?.includes("is in use by another Front Row"))).toHaveLength(3);
});

test("a tool uses the running app's database, and leaves it running", async () => {
  const database = await open();
  const tool = startApp("join");
  expect(await tool.says()).toEqual({ url: database.url });
  await endApp(tool);
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await database.close();
});

test("a tool starts the database where none runs, and stops it", async () => {
  const tool = startApp("join");
  const { url } = await tool.says();
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  const pid = await serverPid();
  await endApp(tool);
  expect(await processIdentity(pid)).toBeNull();
  expect((await readdir(dataDir)).filter((name) => name.endsWith(".lock"))).toEqual([]);
});

test("claims of processes that are gone are no obstacle, not even where their number is in use again", async () => {
  await writeFile(path.join(dataDir, `app-${process.ppid}-0123456789ab.lock`), "");
  const dead = spawn("true");
  await once(dead, "exit");
  await writeFile(path.join(dataDir, `app-${dead.pid}-0123456789ab.lock`), "");
  const database = await open();
  expect((await readdir(dataDir)).filter((name) => name.endsWith(".lock"))).toHaveLength(1);
  await database.close();
});

test("a server that was left running is stopped before another starts", async () => {
  const leftover = await leaveServerRunning();
  const database = await open();
  expect(await processIdentity(leftover)).toBeNull();
  expect(await serverPid()).not.toBe(leftover);
  expect((await database.pool.query(recall)).rows).toEqual(remembered);
  await database.close();
});

/** Kills an app together with what watches over its server. */
async function leaveServerRunning(): Promise<number> {
  const app = startApp();
  await query((await app.says()).url, remember);
  const pid = await serverPid();
  const all = (await readdir("/proc").catch(() => [])).map(Number).filter(Boolean);
  const shells = await Promise.all(all.map(async (one) => ((await isSupervisor(one)) ? one : 0)));
  for (const shell of shells.filter(Boolean)) sendSignal(shell, "SIGKILL");
  await kill(app.process);
  return pid;
}

async function isSupervisor(pid: number): Promise<boolean> {
  const command = await commandLine(pid);
  return command.includes(dataDir) && command.startsWith("/bin/sh -c");
}

test("after both were killed, a process that has the server's number by now is neither an obstacle nor harmed", async () => {
  const app = startApp();
  await query((await app.says()).url, remember);
  sendSignal(await serverPid(), "SIGKILL");
  await kill(app.process);
  const innocent = spawn("sleep", ["60"]);
  children.push(innocent);
  const pidFile = path.join(dataDir, "postgres", "postmaster.pid");
  await writeFile(pidFile, (await readFile(pidFile, "utf8")).replace(/^\d+/, String(innocent.pid)));

  const database = await open();
  expect((await database.pool.query(recall)).rows).toEqual(remembered);
  expect(await processIdentity(innocent.pid ?? 0)).not.toBeNull();
  await database.close();
});

test("a first start that is killed half way does not spoil the data folder", async () => {
  const app = startApp();
  const unfinished = async () => (await readdir(dataDir)).filter((name) => name.startsWith("postgres.new-"));
  await expect.poll(unfinished, { interval: 5 }).toHaveLength(1);
  await kill(app.process);
  expect(await stat(path.join(dataDir, "postgres")).catch(() => null)).toBeNull();

  const database = await open();
  expect(await unfinished()).toEqual([]);
  await database.close();
});

test("a lost password file is replaced", async () => {
  const first = await open();
  await first.pool.query(remember);
  await first.close();
  await truncate(path.join(dataDir, "postgres.json"));
  const second = await open();
  expect((await second.pool.query(recall)).rows).toEqual(remembered);
  await second.close();
});

test("the server keeps its port, and takes another where that is in use", async () => {
  const port = async () => {
    const database = await open();
    await database.close();
    return Number(new URL(database.url).port);
  };
  const first = await port();
  expect(await port()).toBe(first);
  const squatter = createServer().listen(first, "127.0.0.1");
  await once(squatter, "listening");
  expect(await port()).not.toBe(first);
  squatter.close();
});

test("what holds the password is readable by its owner alone, and the server by this machine with a password alone", async () => {
  const database = await open();
  expect((await stat(path.join(dataDir, "postgres.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(path.join(dataDir, "postgres"))).mode & 0o777).toBe(0o700);
  const settings = await query(
    database.url,
    `select name, setting from pg_settings where name in
       ('listen_addresses', 'unix_socket_directories', 'fsync', 'data_checksums', 'server_encoding', 'TimeZone') order by name`,
  );
  expect(settings).toEqual([
    { name: "data_checksums", setting: "on" },
    { name: "fsync", setting: "on" },
    { name: "listen_addresses", setting: "127.0.0.1" },
    { name: "server_encoding", setting: "UTF8" },
    { name: "TimeZone", setting: "UTC" },
    { name: "unix_socket_directories", setting: "" },
  ]);
  const guess = new URL(database.url);
  guess.password = "guess";
  await expect(query(guess.href, "select 1")).rejects.toThrow("password authentication failed");
  await database.close();
});

test("a data folder that cannot be written to is said in one line", async () => {
  const file = path.join(dataDir, "file");
  await writeFile(file, "");
  const advice = "cannot be used (it is not a folder): set DATA_DIR to a folder that can be written to.";
  for (const folder of [file, path.join(file, "below")]) {
    const opening = openDatabase({ databaseUrl: undefined, dataDir: folder, log, sharing: "own" });
    await expect(opening).rejects.toThrow(`The data folder ${folder} ${advice}`);
  }
});

test("a server that does not start says why in one line, and the folder is free again", async () => {
  await (await open()).close();
  const version = path.join(dataDir, "postgres", "PG_VERSION");
  await writeFile(version, "9\n");
  await expect(open()).rejects.toThrow(
    `The embedded database does not start: database files are incompatible with server (its log: ${dataDir}/postgres.log)`,
  );
  await writeFile(version, "18\n");
  await (await open()).close();
});
