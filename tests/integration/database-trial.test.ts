import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runAdminProcess } from "../support/admin.ts";
import { canRunContainers, container, lastingContainer } from "../support/containers.ts";
import { query } from "../support/postgres-server.ts";
import { sendSignal, stillRunning } from "../support/program.ts";
import { testRows } from "../support/test-rows.ts";
import {
  findProcesses,
  isLocked,
  kill,
  markerQuery,
  markerRows,
  openTrial,
  serverPid,
  setUpDataFolders,
  stopApp,
  waitForExit,
} from "../support/trial.ts";

const folder = setUpDataFolders();
const inContainers = (name: string, run: () => Promise<void>) =>
  test.runIf(canRunContainers)(name, { tags: "soak" }, run);
const asRoot = test.runIf(process.getuid?.() === 0);
const inUse =
  /^The database in \S+ does not start: another Front Row uses it, which must be stopped first\. .*$/;

test("the server stops when the site is killed, and the next start finds the data", async () => {
  const app = folder.startApp(folder.migrated());
  await query((await app.nextLine()).url, "insert into marker values ('this too')");
  const pid = await serverPid(folder.migrated());
  await kill(app.process);
  const database = await openTrial(folder.migrated());
  expect(stillRunning([pid])).toEqual([]);
  expect((await database.pool.query(markerQuery)).rows).toEqual([...markerRows, { value: "this too" }]);
  await database.close();
});

test("a server that ends by itself is reported in one line, and the next start finds the data", async () => {
  const app = folder.startApp(folder.migrated());
  await app.nextLine();
  sendSignal(await serverPid(folder.migrated()), "SIGKILL");
  const line = `The database in ${folder.migrated()} has ended unexpectedly: start Front Row again`;
  expect(await app.nextLine()).toEqual({ error: line });
  await kill(app.process);
  await folder.expectIntact();
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
  const names = () => readdir(folder.empty());
  await expect.poll(names, { timeout: 30_000, interval: 5 }).toContain("postgres.new");
  await kill(app.process);
  await (await openTrial(folder.empty())).close();
  expect(await names()).not.toContain("postgres.new");
});

test("the server is durable, listens on loopback only, and requires a password that only the owner can read", async () => {
  const database = await openTrial(folder.migrated());
  expect((await stat(path.join(folder.migrated(), "password"))).mode & 0o777).toBe(0o600);
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

testRows<[string, RegExp, (dataDir: string) => Promise<unknown>]>(3, [
  ["another major version", /incompatible with server/, (dir) => writeFile(`${dir}/postgres/PG_VERSION`, "17\n")],
  ["a lost password file", /ENOENT.*password/, (dir) => rm(`${dir}/password`)],
  ["no valid cluster", /not a valid data directory/, (dir) => writeFile(`${dir}/postgres/PG_VERSION`, "")],
  ["a file in its place", /EEXIST|ENOTDIR/, (dir) => rm(dir, { recursive: true }).then(() => writeFile(dir, ""))],
])("a folder with %s is refused in one line, and nothing is changed", async (_what, reason, change) => {
  const dataDir = folder.migrated();
  await change(dataDir);
  const contents = () => readdir(path.dirname(dataDir), { recursive: true });
  const before = await contents();
  const line = new RegExp(`^The database in ${dataDir} does not start: .*${reason.source}.*delete the folder.*$`);
  await expect(openTrial(dataDir)).rejects.toThrow(line);
  expect(await contents()).toEqual(before);
}); // biome-ignore format: a table

test("a second site on the same data folder is refused with one line, a command joins the first, which continues", async () => {
  const first = await openTrial(folder.migrated());
  const tool = folder.startApp(folder.migrated(), "join");
  expect(await tool.nextLine()).toEqual({ url: first.url });
  await stopApp(tool);
  expect((await folder.startApp(folder.migrated()).nextLine()).error).toMatch(inUse);
  expect((await first.pool.query(markerQuery)).rows).toEqual(markerRows);
  await first.close();
});

test("of sites that start together on a new data folder, exactly one gets it", { tags: "soak" }, async () => {
  const apps = Array.from({ length: 3 }, () => folder.startApp(folder.empty()));
  const outputs = await Promise.all(apps.map((app) => app.nextLine()));
  expect(outputs.filter(({ error }) => error && inUse.test(error))).toHaveLength(2);
  expect(outputs.filter(({ url }) => url)).toHaveLength(1);
});

test("a command starts the database if none runs, and stops it at its end", async () => {
  const tool = folder.startApp(folder.migrated(), "join");
  expect(await query((await tool.nextLine()).url, markerQuery)).toEqual(markerRows);
  const pid = await serverPid(folder.migrated());
  await stopApp(tool);
  expect(stillRunning([pid])).toEqual([]);
  expect(isLocked(folder.migrated())).toBe(false);
});

test("after site and server were killed, an unrelated process with the server's pid continues", {
  tags: "soak",
}, async () => {
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
  ["list-reviews", "--user", "ada@front-row.example"],
  ["ban-user", "ada@front-row.example"],
])("%s creates no database, and says so", async (...command) => {
  const letters = path.join(folder.empty(), "letters");
  await mkdir(letters);
  for (const dataDir of [folder.empty(), letters, path.join(folder.empty(), "new", "data")]) {
    const { exit, err } = await runAdminProcess({ url: "" }, command, "", { DATA_DIR: dataDir });
    const line = `There is no database in ${dataDir}, and this command creates none: check DATA_DIR, or start the site first.\n`;
    expect({ exit, err }).toEqual({ exit: 1, err: line });
  }
  expect(await readdir(folder.empty(), { recursive: true })).toEqual(["letters"]);
});

asRoot(
  "root runs the database as another user, in folders of its own, and as a cluster's owner",
  async () => {
    const owner = async () => (await stat(path.join(folder.migrated(), "postgres"))).uid;
    expect(await owner()).toBe(65_534);
    const database = await openTrial(folder.migrated());
    const pid = await serverPid(folder.migrated());
    expect((await stat(`/proc/${pid}`)).uid).toBe(65_534);
    await database.close();
  },
);

asRoot("another user's database is refused", async () => {
  await chown(folder.migrated(), 12_345, 12_345);
  // The other user reads the project wherever it lies: in /root, for example.
  const read = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const command = ["setpriv", "--reuid=12345", "--clear-groups", ...read];
  const { error } = await folder.startApp(folder.migrated(), "own", command).nextLine();
  expect(error).toContain("it belongs to another user (65534), who must start it");
  await folder.expectIntact();
});

inContainers("a site in another container is refused in one line, and the app stays", async () => {
  const app = folder.startApp(folder.migrated(), "own", container);
  await app.nextLine();
  for (const sharing of ["own", "join"] as const) {
    const other = folder.startApp(folder.migrated(), sharing, container);
    expect((await other.nextLine()).error).toMatch(inUse);
  }
  await stopApp(app);
  expect(app.process.exitCode).toBe(0);
  await folder.expectIntact();
});

inContainers("an app waits for a server that outlived its app in another container", async () => {
  const app = folder.startApp(folder.migrated(), "own", lastingContainer);
  await app.nextLine();
  const { shells, servers, app: pid } = await findProcesses(folder.migrated());
  for (const process of [...shells.sort((a, b) => b - a), pid]) sendSignal(process, "SIGKILL");
  const next = folder.startApp(folder.migrated(), "own", container);
  expect(isLocked(folder.migrated())).toBe(true);
  expect((await findProcesses(folder.migrated())).servers).toContain(Math.min(...servers));
  for (const server of (await findProcesses(folder.migrated())).servers) sendSignal(server, "SIGKILL");
  expect(await next.nextLine()).toEqual({ url: expect.any(String) });
  await kill(next.process);
  await folder.expectIntact();
});
