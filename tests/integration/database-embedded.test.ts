import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, readlink, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { hostname } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import type { Binaries } from "../../src/database/embedded/binaries.server.ts";
import { startServer } from "../../src/database/embedded/postgres-process.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { runAdminProcess } from "../support/admin.ts";
import {
  isLocked,
  kill,
  markerQuery,
  markerRows,
  openEmbedded,
  serverPid,
  setUpDataFolders,
  stopApp,
  waitForExit,
  waitUntilLocked,
} from "../support/data-folders.ts";
import { query } from "../support/postgres-server.ts";
import { sendSignal, stillRunning } from "../support/program.ts";
import { testRows } from "../support/test-rows.ts";

const folder = setUpDataFolders();
const wait = { timeout: 10_000, interval: 20 };

test("the server stops when the site is killed, and the next start finds the data", async () => {
  const app = folder.startApp(folder.migrated());
  await query((await app.nextLine()).url, "insert into marker values ('this too')");
  const pid = await serverPid(folder.migrated());
  await kill(app.process);
  await waitForExit(pid);
  const database = await openEmbedded(folder.migrated());
  expect((await database.pool.query(markerQuery)).rows).toEqual([...markerRows, { value: "this too" }]);
  await database.close();
});

test.for([
  [["/no/such/setpriv"], "ENOENT"],
  [["/dev/null"], "EACCES"],
  [["/bin/sh/x"], "ENOTDIR"],
] as const)("a server whose program %s cannot be spawned fails with %s", async ([prefix, code]) => {
  const dataDir = folder.migrated();
  const lock = await open(path.join(dataDir, "lock-of-test"), "w");
  const signal = AbortSignal.timeout(60_000);
  const options = { dataDir, port: 1, runAs: { prefix: [...prefix] }, settings: {}, lock, signal };
  const binaries = { postgres: "postgres", initdb: "initdb", env: {} } as Binaries;
  await expect(startServer({ ...options, binaries })).rejects.toMatchObject({ code });
  await lock.close();
});

test("a killed server restarts on the same port; transactions fail, pool and notifications reconnect", async () => {
  const database = await openEmbedded(folder.migrated());
  const onConnected = vi.fn();
  const log = pino({ level: "silent" });
  const listener = subscribeToNotifications({ url: database.url, handlers: {}, onConnected, log });
  await vi.waitUntil(() => onConnected.mock.calls.length === 1, wait);
  const killed = await serverPid(folder.migrated());
  const open = database.db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
    sendSignal(killed, "SIGKILL");
    await waitForExit(rows[0]?.pid ?? 0);
    return transaction.selectFrom("shows").selectAll().execute();
  });
  await expect(open).rejects.toThrow();
  // A backend of the killed server may still answer for a moment.
  await vi.waitUntil(async () => ![0, killed].includes(await serverPid(folder.migrated())), wait);
  const marker = () =>
    database.pool.query(markerQuery).then(
      ({ rows }) => rows,
      () => "unavailable",
    );
  await expect.poll(marker, wait).toEqual(markerRows);
  await vi.waitUntil(() => onConnected.mock.calls.length === 2, wait);
  const pid = await serverPid(folder.migrated());
  await listener.close();
  await database.close();
  await waitForExit(pid);
});

test("Ctrl-C reaches only the site, and the database works until the site closes it", async () => {
  const app = folder.startApp(folder.migrated());
  await app.nextLine();
  const pid = await serverPid(folder.migrated());
  process.kill(-(app.process.pid ?? 0), "SIGINT");
  expect(await app.nextLine()).toEqual({ result: "here" });
  await once(app.process, "exit");
  expect(stillRunning([pid])).toEqual([]);
});

test("a killed first start leaves a usable data folder", async () => {
  const app = folder.startApp(folder.empty());
  const unfinished = async () =>
    (await readdir(folder.empty())).filter((name) => name.startsWith("postgres.new-"));
  await expect.poll(unfinished, { timeout: 15_000, interval: 5 }).toHaveLength(1);
  await kill(app.process);
  expect(await serverPid(folder.empty())).toBe(0);
  expect(await readdir(folder.empty())).not.toContain("postgres");
  await (await openEmbedded(folder.empty())).close();
  expect(await unfinished()).toEqual([]);
});

test("the server is durable, listens on loopback only, requires a password that only the owner can read, and rotates a large log", async () => {
  const log = path.join(folder.migrated(), "postgres.log");
  await truncate(log, 5_000_000);
  const database = await openEmbedded(folder.migrated());
  expect((await stat(`${log}.1`)).size).toBe(5_000_000);
  expect((await stat(log)).size).toBeLessThan(10_000);
  expect((await stat(path.join(folder.migrated(), "postgres.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(path.join(folder.migrated(), "postgres"))).mode & 0o777).toBe(0o700);
  const settings = {
    ...{ data_checksums: "on", fsync: "on", listen_addresses: "127.0.0.1", server_encoding: "UTF8" },
    ...{ timezone: "UTC", unix_socket_directories: "" },
  };
  const values = Object.keys(settings).map((name) => `current_setting('${name}') as ${name}`);
  expect(await query(database.url, `select ${values}`)).toEqual([settings]);
  const wrong = Object.assign(new URL(database.url), { password: "guess" });
  await expect(query(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
  await database.close();
});

test("the server keeps its port, takes another if it is in use, and replaces a lost password file", async () => {
  const portOf = async () => {
    const database = await openEmbedded(folder.migrated());
    expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
    await database.close();
    return Number(new URL(database.url).port);
  };
  const first = await portOf();
  expect(await portOf()).toBe(first);
  const blocker = createServer().listen(first, "127.0.0.1");
  await once(blocker, "listening");
  expect(await portOf()).not.toBe(first);
  blocker.close();
  await truncate(path.join(folder.migrated(), "postgres.json"));
  await portOf();
});

test("a failed start or an unusable folder is reported in one line, and a failed start unlocks its folder", async () => {
  const version = path.join(folder.migrated(), "postgres", "PG_VERSION");
  const versionFile = await readFile(version);
  for (const major of ["9.6", "17", "19", "180"]) {
    await writeFile(version, `${major}\n`);
    const failure = new RegExp(
      `^The database in \\S+ is of PostgreSQL ${major}, and this version of Front Row has PostgreSQL 18: run .*backup.*restore[^\\n]*$`,
    );
    await expect(openEmbedded(folder.migrated())).rejects.toThrow(failure);
  }
  await writeFile(version, "\n");
  const log = `(its log: ${folder.migrated()}/postgres.log)`;
  await expect(openEmbedded(folder.migrated())).rejects.toThrow(
    /^The embedded database does not start: [^\n]+$/,
  );
  await expect(openEmbedded(folder.migrated())).rejects.toThrow(log);
  await writeFile(version, versionFile);
  await folder.expectIntact();
  for (const dataDir of [version, path.join(version, "below")]) {
    const line = `The data folder ${dataDir} cannot be used (it is not a folder): set DATA_DIR to a folder that can be written to.`;
    await expect(openEmbedded(dataDir)).rejects.toThrow(line);
  }
});

test("a second site on the same data folder is refused with one line, and the first continues", async () => {
  const first = await openEmbedded(folder.migrated());
  const error = `The data folder ${folder.migrated()} is in use by another Front Row (process ${process.pid} on ${hostname()}): stop that one first, or set another DATA_DIR.`;
  expect(await folder.startApp(folder.migrated()).nextLine()).toEqual({ error });
  await expect(openEmbedded(folder.migrated())).rejects.toThrow(error);
  expect((await first.pool.query(markerQuery)).rows).toEqual(markerRows);
  const tool = folder.startApp(folder.migrated(), "join");
  expect(await tool.nextLine(), "a tool joins").toEqual({ url: first.url });
  await stopApp(tool);
  expect((await first.pool.query(markerQuery)).rows).toEqual(markerRows);
  await first.close();
});

test("of sites that start together on a new data folder, exactly one locks it; a command waits for its database", async () => {
  const apps = Array.from({ length: 3 }, () => folder.startApp(folder.empty()));
  await waitUntilLocked(folder.empty());
  const tool = folder.startApp(folder.empty(), "join");
  const outputs = await Promise.all(apps.map((app) => app.nextLine()));
  expect(outputs.filter(({ error }) => error?.includes("is in use by another Front Row"))).toHaveLength(2);
  expect(outputs.filter(({ url }) => url)).toEqual([await tool.nextLine()]);
});

test("a command starts the database if none runs, and stops it at its end", async () => {
  const tool = folder.startApp(folder.migrated(), "join");
  const { url } = await tool.nextLine();
  expect(await query(url, markerQuery)).toEqual(markerRows);
  const pid = await serverPid(folder.migrated());
  await stopApp(tool);
  expect(stillRunning([pid])).toEqual([]);
  expect(await isLocked(folder.migrated())).toBe(false);
});

test("after site and server were killed, an unrelated process with the server's pid continues", async () => {
  const app = folder.startApp(folder.migrated());
  await app.nextLine();
  const killedPid = await serverPid(folder.migrated());
  await kill(app.process);
  sendSignal(killedPid, "SIGKILL");
  await waitForExit(killedPid);
  const unrelated = folder.child(spawn("sleep", ["60"]));
  const pidFile = path.join(folder.migrated(), "postgres", "postmaster.pid");
  const stale = await readFile(pidFile, "utf8").catch(() => `${killedPid}\n`);
  await writeFile(pidFile, stale.replace(/^\d+/, String(unrelated.pid)));
  await folder.expectIntact();
  expect(stillRunning([unrelated.pid ?? 0])).toHaveLength(1);
});

testRows<[string, ...string[]]>(1, [
  ["newest-notes"],
  ["backup", "-"],
  ["list-reviews", "--user", "ada@front-row.example"],
  ["ban-user", "ada@front-row.example"],
])("%s creates no database, also where a first start was interrupted, and says so", async (...command) => {
  const letters = path.join(folder.empty(), "letters");
  await mkdir(letters);
  await writeFile(path.join(letters, "letter.txt"), "");
  await writeFile(path.join(folder.empty(), "app.lock"), "");
  for (const dataDir of [folder.empty(), letters, path.join(folder.empty(), "new", "data")]) {
    const { exit, err } = await runAdminProcess({ url: "" }, command, "", { DATA_DIR: dataDir });
    const line = `There is no database in ${dataDir}, and this command creates none: check DATA_DIR, or start the site first.\n`;
    expect({ exit, err }).toEqual({ exit: 1, err: line });
  }
  expect(await readdir(folder.empty())).toEqual(["app.lock", "letters"]);
  expect(await readdir(letters)).toEqual(["letter.txt"]);
  expect(await isLocked(folder.empty())).toBe(false);
});

/** Without user namespaces, the unprivileged user of the server must have access to the folder. */
const isReachableByOthers = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (folder === "/" || isReachableByOthers(path.dirname(folder)));
const canRunContainer =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  isReachableByOthers(import.meta.dirname) &&
  spawnSync("sh", ["-c", "unshare --user true"]).status === 0;

test.runIf(canRunContainer)("root runs the database without user namespaces in its own folder", async () => {
  // The first shell waits until it is mapped to root; then the second one starts with root's rights.
  const forbidNamespaces =
    'echo 0 > /proc/sys/user/max_user_namespaces && ! unshare --user true && exec "$@"';
  const container = ["unshare", "--user", "sh", "-c", 'read _; exec sh -c "$0" sh "$@"', forbidNamespaces];
  await chmod(path.dirname(folder.migrated()), 0o700);
  const app = folder.startApp(folder.migrated(), "own", container);
  const proc = `/proc/${app.process.pid}`;
  const namespace = (processFolder: string) => readlink(`${processFolder}/ns/user`);
  const own = await namespace("/proc/self");
  await vi.waitUntil(async () => (await namespace(proc)) !== own, wait);
  for (const map of ["uid_map", "gid_map"]) await writeFile(`${proc}/${map}`, "0 0 65536");
  app.process.stdin?.write("go\n");
  expect(await query((await app.nextLine()).url, markerQuery)).toEqual(markerRows);
  expect((await stat(path.join(folder.migrated(), "postgres"))).uid).not.toBe(0);
  await stopApp(app);
  await folder.expectIntact();
});
