import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { canRunContainers, container, lastingContainer } from "../support/containers.ts";
import {
  type AppProcess,
  isLocked,
  kill,
  setUpDataFolders,
  stopApp,
  waitUntilLocked,
} from "../support/data-folders.ts";
import { sendSignal } from "../support/program.ts";

const folder = setUpDataFolders();
const inContainers = test.runIf(canRunContainers);

const startIn = (command: string[], sharing: "own" | "join" = "own"): AppProcess =>
  folder.startApp(folder.migrated(), sharing, command);

inContainers("a site or command in another container is refused in one line, the app stays", async () => {
  const app = startIn(container);
  await app.nextLine();
  const inUse =
    /^The data folder \S+ is in use by another Front Row \(process 1 on \S+\): stop that one first, or set another DATA_DIR\.$/;
  const unavailable =
    /^The database of the running Front Row \(process 1 on \S+\) is unavailable from here: run this in its container, or stop it first\.$/;
  expect((await startIn(container).nextLine()).error).toMatch(inUse);
  expect((await startIn(container, "join").nextLine()).error).toMatch(unavailable);
  await stopApp(app);
  expect(app.process.exitCode).toBe(0);
  await folder.expectIntact();
});

inContainers("a folder whose container was killed starts in others, with any process IDs", async () => {
  const killed = startIn(container);
  await killed.nextLine();
  await kill(killed.process);
  const pidFile = path.join(folder.migrated(), "postgres", "postmaster.pid");
  const stale = await readFile(pidFile, "utf8");
  const server = Number.parseInt(stale, 10);
  // A container with the same first processes: the site, a shell that starts the server, the server, and another shell.
  for (const pid of [1, server - 1, server, server + 1]) {
    await writeFile(pidFile, stale.replace(/^\d+/, String(pid)));
    const next = startIn(container);
    expect(await next.nextLine()).toEqual({ url: expect.any(String) });
    await kill(next.process);
  }
  await folder.expectIntact();
});

/** Process IDs of the folder's database: the shells that supervise it, and the server. */
async function databaseProcesses() {
  const { ino } = await stat(path.join(folder.migrated(), "postgres"));
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
  const ofFolder = all.filter(({ command }) => command.includes(folder.migrated()));
  const running = (program: string) =>
    ofFolder.filter(({ command }) => command.startsWith(program)).map(({ pid }) => pid);
  return {
    shells: running("/bin/sh\0-c"),
    servers: all.filter(({ isServer }) => isServer).map(({ pid }) => pid),
    app: running(process.execPath)[0],
  };
}

async function leaveServerBehind(): Promise<number[]> {
  const app = startIn(lastingContainer);
  await app.nextLine();
  const { shells, servers, app: pid = 0 } = await databaseProcesses();
  for (const shell of shells.sort((a, b) => b - a)) sendSignal(shell, "SIGKILL");
  sendSignal(pid, "SIGKILL");
  await expect.poll(() => isLocked(folder.migrated()), { interval: 20 }).toBe(false);
  expect(servers.length).toBeGreaterThan(1);
  return servers;
}

inContainers("an app waits for a server that outlived its app in another container", async () => {
  const servers = await leaveServerBehind();
  const next = startIn(container);
  await waitUntilLocked(folder.migrated(), 1);
  const { servers: still } = await databaseProcesses();
  // Only the first one: its children change.
  expect(still).toContain(Math.min(...servers));
  for (const server of still) sendSignal(server, "SIGKILL");
  expect(await next.nextLine()).toEqual({ url: expect.any(String) });
  await kill(next.process);
  await folder.expectIntact();
});

inContainers("an app is refused while a server outlives its app elsewhere", { tags: "soak" }, async () => {
  const servers = await leaveServerBehind();
  const error = `Another PostgreSQL runs on the data folder ${folder.migrated()}: stop it, or what started it, first.`;
  for (const sharing of ["own", "join"] as const)
    expect(await startIn(container, sharing).nextLine()).toEqual({ error });
  const { servers: still } = await databaseProcesses();
  expect(still).toContain(Math.min(...servers));
  for (const server of servers) sendSignal(server, "SIGKILL");
  await folder.expectIntact();
});
