import { once } from "node:events";
import { mkdtemp, readdir } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { canRunContainers, sharedNetworkContainer } from "../support/containers.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { type Program, processRunning, runProgram, sendSignal, stillRunning } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { operatorSettings, unavailableFestival } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";
import { isLocked, serverPid } from "../support/trial.ts";

/** In ms, from the signal to the exit: twice the limit, for a busy machine. */
const LIMIT = 4_000;
const folder = await setUpFolder();
const site = "build/server/main.js";
const admin = "build/server/admin.js";
type Row = [name: string, file: string, args: string[], sent: NodeJS.Signals, isFirst: boolean, code: number];
async function start([, file, args, , isFirst]: Row, variables: Record<string, string> = {}) {
  const dataDir = path.join(await mkdtemp(path.join(folder, "stop-")), "data");
  const own = { PORT: String(await freePort()), DATA_DIR: dataDir };
  const settings = { ...operatorSettings, ...unavailableFestival, ...own, ...variables };
  const program = runProgram(file, args, settings, isFirst ? sharedNetworkContainer : []);
  onTestFinished(async () => {
    sendSignal(-(program.process.pid ?? 0), "SIGKILL");
    await program.exited;
  });
  return { ...program, dataDir };
}

async function expectStop(program: Program, [, file, , signal, , expected]: Row): Promise<void> {
  const processes = program.processes();
  const since = performance.now();
  const inside = processes.slice(program.process.spawnfile === "unshare" ? 1 : 0);
  process.kill(processRunning(file, inside), signal);
  expect(await program.exited).toBe(expected);
  expect(performance.now() - since).toBeLessThan(LIMIT);
  expect(stillRunning(processes)).toEqual([]);
}

const rows: Row[] = [
  ["the site as a container's first process", site, [], "SIGTERM", true, 0],
  ["the site", site, [], "SIGINT", false, 0],
  ["a command as a container's first process", admin, ["restore", "none.backup"], "SIGTERM", true, 143],
  ["npm start", "dev/start.ts", [], "SIGTERM", false, 0],
];
const runnable = rows.filter(([, , , , isFirst]) => canRunContainers || !isFirst);

const trialRows = rows.filter(([name]) => name === "npm start");

test.each(trialRows)("%s ends soon while it creates the database", async (...row) => {
  const { dataDir, ...program } = await start(row);
  const isCreating = async () => (await readdir(dataDir).catch((): string[] => [])).includes("postgres.new");
  await expect.poll(isCreating, { timeout: 30_000, interval: 5 }).toBe(true);
  await expectStop(program, row);
  expect(isLocked(dataDir)).toBe(false);
});

test.each(trialRows)("%s closes the database when stopped while that starts", async (...row) => {
  const { dataDir, ...program } = await start(row);
  await expect.poll(() => serverPid(dataDir), { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
  await expectStop(program, row);
  expect(await serverPid(dataDir)).toBe(0); // removed by a shutdown, not by a kill
});

testRows<Row>(2, runnable)("%s ends soon while it waits for a migration, sessions too", async (...row) => {
  const database = await createEmptyDatabase();
  onTestFinished(database.close);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  // The lock of another instance's migrations.
  await holder.query("select pg_advisory_lock(hashtextextended('front-row migrations', 0))");
  const program = await start(row, { DATABASE_URL: database.url });
  const sessions = async () => {
    const query =
      "select wait_event_type from pg_stat_activity where application_name = 'front-row-migrate' and datname = current_database()";
    return (await holder.query(query)).rows;
  };
  await expect.poll(sessions, { timeout: 30_000, interval: 20 }).toEqual([{ wait_event_type: "Lock" }]);
  await expectStop(program, row);
  await expect.poll(sessions, { interval: 50 }).toEqual([]);
});

testRows<Row>(1, runnable)("%s ends soon while it waits for a database that is silent", async (...row) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const connected = once(silent, "connection");
  const program = await start(row, { DATABASE_URL: `postgres://someone@127.0.0.1:${port}/site` });
  await connected;
  await expectStop(program, row);
});
