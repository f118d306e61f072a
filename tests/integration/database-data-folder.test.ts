import { spawn, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { runAdminProcess } from "../support/admin.ts";
import {
  isLocked,
  kill,
  markerQuery,
  markerRows,
  query,
  serverPid,
  setUpDataFolders,
  stopApp,
  waitForExit,
  waitUntilLocked,
} from "../support/data-folders.ts";
import { processIdentity, sendSignal } from "../support/processes.ts";
import { testRows } from "../support/test-rows.ts";

const folder = setUpDataFolders();

test("a second app on the same data folder is refused with one line, and the first continues", async () => {
  const first = await folder.open(folder.migrated());
  const errorMessage = `The data folder ${folder.migrated()} is in use by another Front Row (process ${process.pid} on ${hostname()}): stop that one first, or set another DATA_DIR.`;
  expect(await folder.startApp(folder.migrated()).nextLine()).toEqual({ error: errorMessage });
  await expect(folder.open(folder.migrated())).rejects.toThrow(errorMessage);
  expect((await first.pool.query(markerQuery)).rows).toEqual(markerRows);
  await first.close();
});

test("of apps that start together on a new data folder, exactly one locks it", async () => {
  const starts = Array.from({ length: 3 }, () => folder.startApp(folder.empty()).nextLine());
  const outputs = await Promise.all(starts);
  expect(outputs.filter(({ url }) => url)).toHaveLength(1);
  expect(outputs.filter(({ error }) => error?.includes("is in use by another Front Row"))).toHaveLength(2);
});

test("a tool joins the running app's database and leaves it running", async () => {
  const database = await folder.open(folder.migrated());
  const tool = folder.startApp(folder.migrated(), "join");
  expect(await tool.nextLine()).toEqual({ url: database.url });
  await stopApp(tool);
  expect((await database.pool.query(markerQuery)).rows).toEqual(markerRows);
  await database.close();
});

test("a tool that starts during the app's start waits for its database", async () => {
  const app = folder.startApp(folder.empty());
  await waitUntilLocked(folder.empty(), app.process.pid ?? 0);
  const tool = folder.startApp(folder.empty(), "join");
  expect(await tool.nextLine()).toEqual(await app.nextLine());
});

test("a tool starts the database if none runs, and stops it at its end", async () => {
  const tool = folder.startApp(folder.migrated(), "join");
  const { url } = await tool.nextLine();
  expect(await query(url, markerQuery)).toEqual(markerRows);
  const pid = await serverPid(folder.migrated());
  await stopApp(tool);
  expect(await processIdentity(pid)).toBeNull();
  expect(await isLocked(folder.migrated())).toBe(false);
});

test("the lock files of an earlier version count for nothing", async () => {
  await writeFile(path.join(folder.migrated(), `app-${process.ppid}-0123456789ab.lock`), "");
  await folder.expectIntact();
});

test("after app and server were killed, an unrelated process with the server's pid is left alone", async () => {
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
  expect(await processIdentity(unrelated.pid ?? 0)).not.toBeNull();
});

test("an unusable data folder is refused with one line", async () => {
  const file = path.join(folder.empty(), "file");
  await writeFile(file, "");
  for (const dataDir of [file, path.join(file, "below")]) {
    await expect(folder.open(dataDir)).rejects.toThrow(
      `The data folder ${dataDir} cannot be used (it is not a folder): set DATA_DIR to a folder that can be written to.`,
    );
  }
});

testRows<[string, ...string[]]>(2, [
  ["newest-notes"],
  ["export", "-"],
  ["list-reviews", "--user", "ada@front-row.example"],
  ["ban-user", "ada@front-row.example"],
])("%s creates no database where there is none, and says so", async (...command) => {
  await writeFile(path.join(folder.empty(), "letter.txt"), "");
  for (const dataDir of [folder.empty(), path.join(folder.empty(), "new", "data")]) {
    const { exit, err } = await runAdminProcess({ url: "" }, command, "", { DATA_DIR: dataDir });
    expect({ exit, err }).toEqual({
      exit: 1,
      err: `There is no database in ${dataDir}, and this command creates none: check DATA_DIR, or start the site first.\n`,
    });
  }
  expect(await readdir(folder.empty())).toEqual(["letter.txt"]);
});

test("a command that reads creates no database in a folder whose first start was interrupted", async () => {
  await writeFile(path.join(folder.empty(), "app.lock"), "");
  const { exit } = await runAdminProcess({ url: "" }, ["reports"], "", { DATA_DIR: folder.empty() });
  expect(exit).toBe(1);
  expect(await readdir(folder.empty())).toEqual(["app.lock"]);
  expect(await isLocked(folder.empty())).toBe(false);
});

/** Whether any user can reach the folder, as the unprivileged server user must without user namespaces. */
function isReachableByOthers(folder: string): boolean {
  return (
    (statSync(folder).mode & 0o001) !== 0 && (folder === "/" || isReachableByOthers(path.dirname(folder)))
  );
}

const canRunContainer =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  isReachableByOthers(import.meta.dirname) &&
  spawnSync("sh", ["-c", "unshare --user true"]).status === 0;

test.runIf(canRunContainer)(
  "root runs the database in a container without user namespaces, in a folder that only root may enter",
  async () => {
    // The first shell waits until it is mapped to root; the second then starts with root's rights.
    const forbidNamespaces =
      'echo 0 > /proc/sys/user/max_user_namespaces && ! unshare --user true && exec "$@"';
    const container = ["unshare", "--user", "sh", "-c", 'read _; exec sh -c "$0" sh "$@"', forbidNamespaces];
    await chmod(path.dirname(folder.migrated()), 0o700);
    const app = folder.startApp(folder.migrated(), "own", container);
    const proc = `/proc/${app.process.pid}`;
    const namespace = (processFolder: string) => readlink(`${processFolder}/ns/user`);
    await expect
      .poll(() => namespace(proc), { timeout: 5_000, interval: 10 })
      .not.toBe(await namespace("/proc/self"));
    for (const map of ["uid_map", "gid_map"]) await writeFile(`${proc}/${map}`, "0 0 65536");
    app.process.stdin?.write("go\n");

    const { url, error } = await app.nextLine();
    expect(error).toBeUndefined();
    expect(await query(url, markerQuery)).toEqual(markerRows);
    expect((await stat(path.join(folder.migrated(), "postgres"))).uid).not.toBe(0);
    await stopApp(app);

    await folder.expectIntact();
  },
);

test.runIf(process.getuid?.() === 0 && isReachableByOthers(import.meta.dirname))(
  "a copy that belongs to another user is refused in one line",
  async () => {
    const dataDir = folder.migrated();
    await rm(path.join(dataDir, "postgres.log"));
    // Readable for all, so that PostgreSQL alone objects.
    for (const shared of [path.dirname(path.dirname(dataDir)), path.dirname(dataDir)])
      await chmod(shared, 0o755);
    spawnSync("chmod", ["-R", "a+rX", dataDir]);
    spawnSync("chown", ["65534:65534", dataDir]);
    const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const { error } = await folder.startApp(dataDir, "own", nobody).nextLine();
    expect(error).toContain("has wrong ownership");
    expect(error?.split("\n")).toHaveLength(1);
  },
);
