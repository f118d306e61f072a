import { once } from "node:events";
import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import {
  kill,
  markerQuery,
  markerRows,
  query,
  serverPid,
  setUpDataFolders,
  waitForExit,
} from "../support/data-folders.ts";
import { processIdentity, sendSignal } from "../support/processes.ts";

const folder = setUpDataFolders();

test("the first start creates the database, and the next one finds its data", async () => {
  const first = await folder.open(folder.empty());
  await first.pool.query("create table marker as select 'still here' as value");
  await first.close();
  await folder.expectIntact(folder.empty());
});

test("the server stops when the app is killed, and the next start finds the data", async () => {
  const app = folder.startApp(folder.migrated());
  await query((await app.nextLine()).url, "insert into marker values ('this too')");

  const pid = await serverPid(folder.migrated());
  await kill(app.process);
  await waitForExit(pid);

  const database = await folder.open(folder.migrated());
  expect((await database.pool.query(markerQuery)).rows).toEqual([...markerRows, { value: "this too" }]);
  await database.close();
});

test("a killed server restarts on the same port, and pool and notifications reconnect", async () => {
  const database = await folder.open(folder.migrated());
  const onConnected = vi.fn();
  const log = pino({ level: "silent" });
  const listener = subscribeToNotifications({ url: database.url, handlers: {}, onConnected, log });
  await expect.poll(() => onConnected.mock.calls.length, { timeout: 10_000 }).toBe(1);
  const killedPid = await serverPid(folder.migrated());
  sendSignal(killedPid, "SIGKILL");

  // A backend of the killed server may still answer for a moment.
  await expect
    .poll(() => serverPid(folder.migrated()), { timeout: 10_000, interval: 50 })
    .not.toBe(killedPid);
  const newPid = await serverPid(folder.migrated());
  const queryResult = () =>
    database.pool.query(markerQuery).then(
      ({ rows }) => rows,
      () => "unavailable",
    );
  await expect.poll(queryResult, { timeout: 10_000, interval: 50 }).toEqual(markerRows);
  await expect.poll(() => onConnected.mock.calls.length, { timeout: 10_000 }).toBe(2);
  await listener.close();
  await database.close();
  await waitForExit(newPid);
});

test("an open transaction fails when the server is killed, and the process continues", async () => {
  const database = await folder.open(folder.migrated());
  const result = database.db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
    sendSignal(await serverPid(folder.migrated()), "SIGKILL");
    await waitForExit(rows[0]?.pid ?? 0);
    return transaction.selectFrom("shows").selectAll().execute();
  });
  await expect(result).rejects.toThrow();
  await database.close();
});

test("Ctrl-C reaches only the app, and the database works until the app closes it", async () => {
  const app = folder.startApp(folder.migrated());
  await app.nextLine();
  const pid = await serverPid(folder.migrated());
  process.kill(-(app.process.pid ?? 0), "SIGINT");
  expect(await app.nextLine()).toEqual({ result: "here" });
  await once(app.process, "exit");
  expect(await processIdentity(pid)).toBeNull();
});

test("a killed first start leaves a usable data folder", async () => {
  const app = folder.startApp(folder.empty());
  const unfinishedFolders = async () =>
    (await readdir(folder.empty())).filter((name) => name.startsWith("postgres.new-"));
  await expect.poll(unfinishedFolders, { timeout: 15_000, interval: 5 }).toHaveLength(1);
  await kill(app.process);
  expect(await serverPid(folder.empty())).toBe(0);
  expect(await readdir(folder.empty())).not.toContain("postgres");

  const database = await folder.open(folder.empty());
  expect(await unfinishedFolders()).toEqual([]);
  await database.close();
});

test("a lost password file is replaced", async () => {
  await truncate(path.join(folder.migrated(), "postgres.json"));
  await folder.expectIntact();
});

test("the server keeps its port, and takes another if it is in use", async () => {
  const port = async () => {
    const database = await folder.open(folder.migrated());
    await database.close();
    return Number(new URL(database.url).port);
  };
  const first = await port();
  expect(await port()).toBe(first);
  const portBlocker = createServer().listen(first, "127.0.0.1");
  await once(portBlocker, "listening");
  expect(await port()).not.toBe(first);
  portBlocker.close();
});

test("the server is durable, listens on loopback only and requires a password that only the owner can read", async () => {
  const database = await folder.open(folder.migrated());
  expect((await stat(path.join(folder.migrated(), "postgres.json"))).mode & 0o777).toBe(0o600);
  expect((await stat(path.join(folder.migrated(), "postgres"))).mode & 0o777).toBe(0o700);
  const settings = {
    data_checksums: "on",
    fsync: "on",
    listen_addresses: "127.0.0.1",
    server_encoding: "UTF8",
    timezone: "UTC",
    unix_socket_directories: "",
  };
  const values = Object.keys(settings).map((name) => `current_setting('${name}') as ${name}`);
  expect(await query(database.url, `select ${values}`)).toEqual([settings]);
  const wrongUrl = new URL(database.url);
  wrongUrl.password = "guess";
  await expect(query(wrongUrl.href, "select 1")).rejects.toThrow("password authentication failed");
  await database.close();
});

test("a large log file is rotated", async () => {
  const log = path.join(folder.migrated(), "postgres.log");
  await truncate(log, 5_000_000);
  await (await folder.open(folder.migrated())).close();
  expect((await stat(`${log}.1`)).size).toBe(5_000_000);
  expect((await stat(log)).size).toBeLessThan(10_000);
});

test("a failed start reports the reason in one line and unlocks the folder", async () => {
  const version = path.join(folder.migrated(), "postgres", "PG_VERSION");
  const versionFile = await readFile(version);
  await writeFile(version, "9\n");
  await expect(folder.open(folder.migrated())).rejects.toThrow(
    `The embedded database does not start: database files are incompatible with server (its log: ${folder.migrated()}/postgres.log)`,
  );
  await writeFile(version, versionFile);
  await (await folder.open(folder.migrated())).close();
});
