// Puts in place what has to be there before anything of the project can run: packages, runtime, build. Plain JavaScript
// without dependencies, because it starts on whatever Node is there, before the pinned one is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** What the build is made from. */
const buildInputs = [
  "package-lock.json",
  "public",
  "react-router.config.ts",
  "scripts/build.ts",
  "src",
  "tsconfig.json",
  "vite.config.ts",
];
const buildStamp = join(root, "build", "inputs.sha256");

/** Ends the process with one clear line. */
export function fail(line) {
  console.error(line);
  process.exit(1);
}

/** Installs the locked packages where others, or none, are there. */
export function ensureInstalled() {
  if (installedIsCurrent()) return;
  console.log("Installing packages, which takes a minute the first time …");
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm ? [process.execPath, npm] : ["npm"];
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync(command, [...args, ...options], { cwd: root, stdio: "inherit" });
  if (status !== 0) fail("The packages could not be installed: see npm's message above, and try again.");
}

/** Whether npm's own note of what it installed agrees with the lockfile; optional packages may be for other machines. */
function installedIsCurrent() {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const locked = packagesOf(join(root, "package-lock.json"));
  const present = packagesOf(installed);
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === "" || (path in present ? present[path].version === version : optional === true),
  );
}

function packagesOf(lockfile) {
  return JSON.parse(readFileSync(lockfile, "utf8")).packages;
}

/** The Node to run the project with: the pinned one, or else a system's that is new enough. */
export function findRuntime() {
  const pinned = join(root, "node_modules", ".bin", "node");
  linkRuntime(pinned);
  if (existsSync(pinned)) {
    // npm runs us with it.
    if (realpathSync(pinned) === process.execPath) return pinned;
    if (spawnSync(pinned, ["--version"]).status === 0) return pinned;
    // Built for another C library: out of the way, or npm would run it next time.
    rmSync(pinned);
  }
  // 24 is the first that knows `await using`.
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return fail(`Node ${process.versions.node} is too old and none is packaged for this machine: install Node 24.`);
}

/** npm before 11 installs this machine's Node, and takes its link away again with the packages for other machines. */
function linkRuntime(link) {
  const runtime = join("..", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (!existsSync(link) && existsSync(join(link, "..", runtime))) symlinkSync(runtime, link);
}

/** The SHA-256 of everything that the build is made from. */
export function hashBuildInputs() {
  const hash = createHash("sha256");
  for (const file of buildInputs.flatMap(filesOf)) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function filesOf(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesOf(join(path, name)))
    .filter((file) => !/\.test\.tsx?$/.test(file));
}

/** Builds the site where sources are newer than the build. */
export function ensureBuilt(runtime) {
  if (existsSync(buildStamp) && readFileSync(buildStamp, "utf8") === hashBuildInputs()) return;
  console.log("Building the site …");
  const { status, stdout, stderr } = spawnSync(runtime, ["scripts/build.ts"], { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`${stdout}${stderr}\nThe site could not be built: see above.`);
}

/** Where Node keeps what it has compiled, which halves what each start costs. */
const compiled = join(root, "node_modules", ".cache", "compiled");

/**
 * Runs a program of the project to its end: as this process where it is the project's Node, which saves the start of another
 * one. The program sets the exit code.
 */
export async function become(runtime, file) {
  if (realpathSync(runtime) !== process.execPath) {
    process.exitCode = await run(runtime, [file]);
    return;
  }
  process.env.NODE_COMPILE_CACHE ??= compiled;
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  endWithNpm(() => process.kill(process.pid, "SIGTERM"));
  await import(pathToFileURL(join(root, file)).href);
}

/**
 * Runs a program of the project to its end and passes signals on to it. The program notices by its IPC channel when
 * this process is gone, however it went. Resolves with its exit code. `hear` is given what it says on stderr, which is
 * shown all the same.
 */
export function run(runtime, args, environment = {}, hear = undefined) {
  const child = spawn(runtime, args, {
    cwd: root,
    stdio: ["inherit", "inherit", hear ? "pipe" : "inherit", "ipc"],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, ...environment },
  });
  child.stderr?.on("data", hear).pipe(process.stderr);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  endWithNpm(() => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.once("error", (error) => fail(`${args[0]} cannot be run: ${error.message}`));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** An npm that is killed cannot pass the signal on; then this process gets another parent. */
function endWithNpm(end) {
  const npm = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== npm && end(), 500).unref();
}
