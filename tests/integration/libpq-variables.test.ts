import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { runProgram } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";

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

const folder = await setUpFolder();

test("npm start and its commands use its database, and ignore all variables that name another one", async () => {
  const port = String(await freePort());
  const data = { DATA_DIR: join(folder, "data"), FAKE_FESTIVAL_OPTIONS: "--size 60" };
  const settings = { PORT: port, ...data, ...otherDatabase };
  const program = runProgram("dev/start.ts", [], settings);
  await program.waitForOutput("Front Row is open at");
  const readiness = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
  expect(readiness).toMatchObject({ database: "up", shows: 60 });
  for (const [expected, file, ...args] of [
    [/\n3,893 shows listed: /, "dev/refresh.ts"],
    [/^Listed shows: +3,893\n(.*\n)*Disk left: +[\d,.]+ [MG]B$/m, "src/cli/admin.ts", "status"],
  ] as const) {
    const command = runProgram(file, args, settings);
    await command.exited;
    expect(command.output()).toMatch(expected);
    expect(command.output()).not.toMatch(/cannot be used|does not respond|ECONNREFUSED|SSL/);
  }
  program.process.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  expect(program.output()).not.toMatch(/WARN|ERROR/);
});
