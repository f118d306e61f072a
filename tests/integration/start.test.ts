import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { type Program, processRunning, runProgram, stillRunning } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { operatorSettings, unavailableFestival } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const polling = { timeout: 10_000, interval: 50 };
const parent = await setUpFolder();
const smallData = join(parent, "small");
let folder: string;
let port: string;

beforeEach(async () => {
  folder = await mkdtemp(join(parent, "start-"));
  port = String(await freePort());
});

function run(file: string, variables: Record<string, string> = {}, args: readonly string[] = []): Program {
  const program = runProgram(file, [...args], { PORT: port, DATA_DIR: join(folder, "data"), ...variables });
  onTestFinished(async () => {
    program.process.kill("SIGTERM");
    await program.exited;
  });
  return program;
}
const start = (variables = {}) => run("dev/start.ts", variables);
const smallProgramme = { FAKE_FESTIVAL_OPTIONS: "--size 60" };
/** Starts faster, with a small programme that is already imported. */
const startSmall = (variables = {}) => start({ ...smallProgramme, DATA_DIR: smallData, ...variables });
const serve = (variables = {}) => run("build/server/main.js", variables);
const page = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
const lines = (program: Program) => program.output().trim().split("\n");

/** A shell's variables for another database: each one would break or redirect a connection. */
const otherDatabase: Record<string, string> = {
  PGHOST: "db.example",
  PGHOSTADDR: "192.0.2.1",
  PGPORT: "1",
  PGUSER: "somebody",
  PGPASSWORD: "another",
  PGDATABASE: "elsewhere",
  PGSERVICE: "production",
  PGSSLMODE: "verify-full",
  PGSSLNEGOTIATION: "direct",
  PGOPTIONS: "-c default_transaction_read_only=on -c search_path=elsewhere -c no_such_setting=1",
  PGCLIENT_ENCODING: "LATIN1",
  PGREPLICATION: "database",
  PGDATA: "/no/such/folder",
};

test("npm start imports the demo into its own database, prints the address last, and leaves no process", async () => {
  const settings = { ...smallProgramme, ...otherDatabase };
  const first = start(settings);
  await first.waitForOutput("Front Row is open at");
  expect(lines(first).at(-1)).toBe(`Front Row is open at http://localhost:${port} (Ctrl-C stops it)`);
  expect(first.output()).toMatch(/Invented \d+ reviews by \d+ people/);
  expect(await page()).toContain(`Showing 1-20 of 60 shows for ${YEAR}`);
  expect(await page()).toContain("Most common: ");
  for (const [expected, file, ...args] of [
    [/\n3,893 shows listed: /, "dev/refresh.ts"],
    [/^Listed shows: +3,893\n(.*\n)*Disk left: +[\d,.]+ [MG]B$/m, "src/cli/admin.ts", "status"],
  ] as const) {
    const command = run(file, settings, args);
    await command.exited;
    expect(command.output()).toMatch(expected);
    expect(command.output()).not.toMatch(/cannot be used|does not respond|ECONNREFUSED|SSL/);
  }
  const processes = first.processes();
  expect(processes.length).toBeGreaterThan(3);
  first.process.kill("SIGINT");
  expect(await first.exited).toBe(0);
  expect(stillRunning(processes)).toEqual([]);
});

test("npm start stops itself and its database when the server is killed, and starts again without an import", async () => {
  const program = startSmall();
  await program.waitForOutput("Front Row is open at");
  const processes = program.processes();
  process.kill(processRunning("serve-demo.ts", processes), "SIGKILL");
  expect(await program.exited).toBe(1);
  await vi.waitFor(() => expect(stillRunning(processes)).toEqual([]), polling);
  const again = startSmall();
  await again.waitForOutput("Front Row is open at");
  expect(again.output()).not.toMatch(/Importing|Invented/);
  expect(await page()).toContain("Showing 1-20 of 60");
});

const asNpm = (script: string) => `require("node:child_process").spawn(
  process.execPath, ["--input-type=module", "-e", ${JSON.stringify(script)}], { stdio: "inherit" })`;
const runInPlace =
  'import { runInPlace } from "./scripts/setup.mjs"; await runInPlace(process.execPath, "dev/start.ts");';
const npmSettings = { npm_lifecycle_event: "start", DATA_DIR: smallData, ...smallProgramme };

testRows<[string, string, string, () => Program]>(1, [
  ["npm start", "Importing the programme", "bin/postgres", () => start(smallProgramme)],
  ["npm", "Front Row is open at", "serve-demo.ts", () => run("-e", npmSettings, [asNpm(runInPlace)])],
  ["npm start", "Front Row is open at", "serve-demo.ts", () => startSmall()],
])("%s killed after “%s” leaves no process", async (_name, output, started, begin) => {
  const program = begin();
  await program.waitForOutput(output);
  const processes = program.processes();
  expect(processRunning(started, processes)).toBeGreaterThan(0);
  program.process.kill("SIGKILL");
  await vi.waitFor(() => expect(stillRunning(processes)).toEqual([]), polling);
});

test("npm start stops when its output is closed", { tags: "soak" }, async () => {
  const program = startSmall({ LOG_LEVEL: "trace" });
  await program.waitForOutput("Front Row is open at");
  const processes = program.processes();
  program.process.stdout?.destroy();
  // Each request logs a line. A full pipe would block responses and the stop.
  while (stillRunning(processes).length > 0)
    await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(20_000) }).catch(
      () => undefined,
    );
  expect(await program.exited).toBe(0);
});

test.each([
  ["npm start", start],
  ["npm run serve", serve],
])("%s reports a port in use in one line, and starts nothing", async (_name, program) => {
  const other = createServer().listen(Number(port), "127.0.0.1");
  const refused = program({ ...operatorSettings, ...unavailableFestival, DATABASE_URL: "postgres://h/d" });
  expect(await refused.exited).toBe(1);
  other.close();
  const expected = [`Port ${port} is already in use: set PORT to another one, or stop what uses it.`];
  expect(lines(refused)).toEqual(expected);
  expect(existsSync(join(folder, "data"))).toBe(false);
});

test.each([
  ["an operator", unavailableFestival, "OPERATOR_NAME"],
  ["a database", { ...operatorSettings, ...unavailableFestival }, "docs/operations/install-and-upgrade.md"],
])("npm run serve requires %s", async (_what, variables, named) => {
  const program = serve(variables);
  expect(await program.exited).toBe(1);
  expect(lines(program)).toEqual([expect.stringContaining(named)]);
});
