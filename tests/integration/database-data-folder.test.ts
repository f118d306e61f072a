import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { chmod, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { commandLine, processIdentity, sendSignal } from "../../src/database/embedded/processes.server.ts";
import {
  kill,
  listLockFiles,
  markerQuery,
  markerRows,
  query,
  serverPid,
  setUpDataFolders,
  stopApp,
  waitForExit,
} from "../support/data-folders.ts";

const folder = setUpDataFolders();

test("a second app on the same data folder is refused in one line, and the first goes on", async () => {
  const first = await folder.open(folder.migrated());
  const refusal = `The data folder ${folder.migrated()} is in use by another Front Row (process ${process.pid}).`;
  expect(await folder.startApp(folder.migrated()).nextLine()).toEqual({ error: refusal });
  await expect(folder.open(folder.migrated())).rejects.toThrow(refusal);
  expect((await first.pool.query(markerQuery)).rows).toEqual(markerRows);
  await first.close();
});

test("of apps that start together on a new data folder exactly one gets it", async () => {
  const said = await Promise.all(Array.from({ length: 3 }, () => folder.startApp(folder.empty()).nextLine()));
  expect(said.filter(({ url }) => url)).toHaveLength(1);
  expect(said.filter(({ error }) => error?.includes("is in use by another Front Row"))).toHaveLength(2);
});

test("a tool uses the running app's database, and leaves it running", async () => {
  const database = await folder.open(folder.migrated());
  const tool = folder.startApp(folder.migrated(), "join");
  expect(await tool.nextLine()).toEqual({ url: database.url });
  await stopApp(tool);
  expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
  await database.close();
});

test("a tool that starts together with the app waits for the app's database", async () => {
  const app = folder.startApp(folder.empty());
  await expect.poll(() => listLockFiles(folder.empty()), { timeout: 15_000, interval: 5 }).toHaveLength(1);
  const tool = folder.startApp(folder.empty(), "join");
  expect(await tool.nextLine()).toEqual(await app.nextLine());
});

test("a tool starts the database where none runs, and stops it", async () => {
  const tool = folder.startApp(folder.migrated(), "join");
  const { url } = await tool.nextLine();
  expect(await query(url, markerQuery)).toEqual(markerRows);
  const pid = await serverPid(folder.migrated());
  await stopApp(tool);
  expect(await processIdentity(pid)).toBeNull();
  expect(await listLockFiles(folder.migrated())).toEqual([]);
});

test("claims of processes that are gone are no obstacle, not even where their number is in use again", async () => {
  const dead = spawn("true");
  await once(dead, "exit");
  for (const pid of [dead.pid, process.ppid]) {
    await writeFile(path.join(folder.migrated(), `app-${pid}-0123456789ab.lock`), "");
  }
  const database = await folder.open(folder.migrated());
  expect(await listLockFiles(folder.migrated())).toHaveLength(1);
  await database.close();
});

test.runIf(process.platform === "linux")(
  "a server that was left running is stopped before another starts",
  async () => {
    const app = folder.startApp(folder.migrated());
    await app.nextLine();
    const leftover = await serverPid(folder.migrated());
    for (const shell of await supervisors(folder.migrated())) sendSignal(shell, "SIGKILL");
    await kill(app.process);
    expect(await processIdentity(leftover)).not.toBeNull();

    const database = await folder.open(folder.migrated());
    expect(await processIdentity(leftover)).toBeNull();
    expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
    await database.close();
  },
);

/** The shells that watch over the server of a data folder, the one that would stop it first. */
async function supervisors(dataDir: string): Promise<number[]> {
  const all = (await readdir("/proc")).map(Number).filter(Boolean);
  const lines = await Promise.all(all.map(async (pid) => ({ pid, line: await commandLine(pid) })));
  const shells = lines.filter(({ line }) => line.startsWith("/bin/sh -c") && line.includes(dataDir));
  return shells.map(({ pid }) => pid).sort((a, b) => b - a);
}

test("after both were killed, a process that has the server's number by now is neither an obstacle nor harmed", async () => {
  const app = folder.startApp(folder.migrated());
  await app.nextLine();
  const killed = await serverPid(folder.migrated());
  await kill(app.process);
  sendSignal(killed, "SIGKILL");
  await waitForExit(killed);
  const innocent = folder.child(spawn("sleep", ["60"]));
  const pidFile = path.join(folder.migrated(), "postgres", "postmaster.pid");
  const stale = await readFile(pidFile, "utf8").catch(() => `${killed}\n`);
  await writeFile(pidFile, stale.replace(/^\d+/, String(innocent.pid)));

  const database = await folder.open(folder.migrated());
  expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
  expect(await processIdentity(innocent.pid ?? 0)).not.toBeNull();
  await database.close();
});

test("a data folder that cannot be written to is said in one line", async () => {
  const file = path.join(folder.empty(), "file");
  await writeFile(file, "");
  for (const dataDir of [file, path.join(file, "below")]) {
    await expect(folder.open(dataDir)).rejects.toThrow(
      `The data folder ${dataDir} cannot be used (it is not a folder): set DATA_DIR to a folder that can be written to.`,
    );
  }
});

/** Without user namespaces, a user that is not root has to get at the server's files. */
function othersMayEnter(folder: string): boolean {
  return (statSync(folder).mode & 0o001) !== 0 && (folder === "/" || othersMayEnter(path.dirname(folder)));
}

const canBeContained =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  othersMayEnter(import.meta.dirname) &&
  spawnSync("sh", ["-c", "unshare --user true"]).status === 0;

test.runIf(canBeContained)(
  "root in a container that forbids user namespaces runs it too, in a folder only root may enter",
  async () => {
    // The second shell has the rights of the root that the first has become by then.
    const forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && ! unshare --user true && exec "$@"';
    const container = ["unshare", "--user", "sh", "-c", 'read _; exec sh -c "$0" sh "$@"', forbid];
    await chmod(path.dirname(folder.migrated()), 0o700);
    const app = folder.startApp(folder.migrated(), "own", container);
    const proc = `/proc/${app.process.pid}`;
    const namespace = (of: string) => readlink(`${of}/ns/user`);
    await expect.poll(() => namespace(proc), { timeout: 5_000, interval: 10 }).not.toBe(await namespace("/proc/self"));
    for (const map of ["uid_map", "gid_map"]) await writeFile(`${proc}/${map}`, "0 0 65536");
    app.process.stdin?.write("go\n");

    const { url, error } = await app.nextLine();
    expect(error).toBeUndefined();
    expect(await query(url, markerQuery)).toEqual(markerRows);
    expect((await stat(path.join(folder.migrated(), "postgres"))).uid).not.toBe(0);
    await stopApp(app);

    const database = await folder.open(folder.migrated());
    expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
    await database.close();
  },
);
