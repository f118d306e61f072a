import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setUpFolder } from "../support/set-up.ts";

const programs = [["docker", "compose"], ["docker-compose"]];
/** Docker's own plugin, or Debian's package `docker-compose`. Neither needs a daemon to read a file. */
const compose = programs.find(([file = "", ...args]) => spawnSync(file, [...args, "version"]).status === 0);

const folder = await setUpFolder();
cpSync(new URL("../../deploy/compose.yaml", import.meta.url), join(folder, "compose.yaml"));

function readConfig(settings: string) {
  writeFileSync(join(folder, ".env"), settings);
  const [file = "", ...args] = compose ?? [];
  return spawnSync(file, [...args, "--file", "compose.yaml", "config"], { cwd: folder, encoding: "utf8" });
}

test.runIf(compose)(
  "compose.yaml is read, gives the site its database and settings, and names a missing password",
  () => {
    const { status, stdout } = readConfig("ORIGIN=https://front-row.example\nPOSTGRES_PASSWORD=a1b2\n");
    expect(status).toBe(0);
    for (const part of [
      /DATABASE_URL: postgres:\/\/front_row:a1b2@database\/front_row\n/,
      /ORIGIN: https:\/\/front-row\.example\n/,
      /condition: service_healthy\n/,
      /POSTGRES_PASSWORD: a1b2\n/,
    ])
      expect(stdout).toMatch(part);
    const missing = readConfig("ORIGIN=https://front-row.example\n");
    expect(missing.status).not.toBe(0);
    expect(missing.stderr).toMatch(/POSTGRES_PASSWORD.*is missing in \.env/s);
  },
);
