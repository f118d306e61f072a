// Plain JavaScript without dependencies: starts on any Node, before the pinned one is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import module from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { canInstallPackages, ensurePackages } from "./debian-packages.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const buildInputs = [
  "package-lock.json",
  "public",
  "scripts/build.ts",
  "scripts/list-files.ts",
  "scripts/oldest-browsers.ts",
  "src",
  "tsconfig.json",
  "vite.config.ts",
];
const buildStamp = join(root, "build", "inputs.sha256");

/** Prints one line and exits with code 1. */
export function fail(line) {
  console.error(line);
  process.exit(1);
}

/** Installs all packages, also if NODE_ENV or npm's settings would leave some out. */
const wholeInstall = [
  "--include=prod",
  "--include=dev",
  "--include=optional",
  "--include=peer",
  "--bin-links",
  "--dry-run=false",
  "--engine-strict=false",
  "--global=false",
  "--install-strategy=hoisted",
  "--location=project",
  "--package-lock-only=false",
  // npm cannot check a minimum age of versions in a lockfile without addresses. Its hashes are enough.
  "--before=null",
];

/** `#`, `%` and `?` break Vite and React Router, which use paths as URLs; the others break PostgreSQL's initdb. */
const unusable = /[#%?$`"]/;

export function refuseUnusableFolder() {
  const [character] = unusable.exec(root) ?? [];
  if (character)
    fail(
      `Front Row cannot be built in ${root} because of the ${character} in it: rename or move the folder.`,
    );
}

export async function ensureInstalled(folder = root) {
  refuseUnusableFolder();
  if (installedIsCurrent(folder)) return;
  const lock = await lockFolder(folder);
  if (!installedIsCurrent(folder)) install(folder);
  lock?.close();
}

function install(folder) {
  console.log("Installing packages, which takes a minute the first time …");
  const npm = process.env.npm_execpath;
  // Other package managers set the variable too.
  const [command, ...args] = npm?.endsWith("npm-cli.js") ? [process.execPath, npm] : ["npm"];
  const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync(command, [...args, ...options, ...wholeInstall], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) fail("The packages could not be installed: see npm's message above, and try again.");
}

/**
 * One process at a time installs or builds in a folder; the others wait here. A socket, because the kernel closes it
 * when its process ends, on every platform. Undefined where there can be none.
 */
export async function lockFolder(folder = root) {
  const name = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 16);
  const path = join(tmpdir(), `front-row-${name}`);
  for (let isSaid = false; ; ) {
    // Whoever holds it is too busy to accept a connection: it ends when the server is closed.
    const server = createServer((socket) => socket.destroy()).listen(path);
    try {
      await once(server, "listening");
      return server.unref();
    } catch (error) {
      if (error.code !== "EADDRINUSE") return undefined;
    }
    const holder = await connectTo(path);
    if (holder) {
      if (!isSaid) console.log("Another command is setting up this folder: waiting for it …");
      isSaid = true;
      if (!holder.closed) await new Promise((resolve) => holder.resume().once("close", resolve));
    } else rmSync(path, { force: true }); // of a killed process
  }
}

/** Undefined if nobody holds it. */
function connectTo(path) {
  const socket = connect(path);
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(undefined));
  });
}

/** Optional packages for other platforms may be missing, with their dependencies. */
function installedIsCurrent(folder) {
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const locked = packagesOf(join(folder, "package-lock.json"));
  const present = packagesOf(installed);
  return Object.entries(locked).every(
    ([path, entry]) =>
      path === "" ||
      (path in present
        ? present[path].version === entry.version
        : entry.optional === true && !isForThisPlatform(entry)),
  );
}

function isForThisPlatform({ os, cpu, libc }) {
  const allows = (list, value) => list === undefined || [list].flat().includes(value);
  const platform = os ?? cpu;
  return (
    platform !== undefined &&
    allows(os, process.platform) &&
    allows(cpu, process.arch) &&
    allows(libc, ownLibc())
  );
}

function ownLibc() {
  return process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
}

function packagesOf(lockfile) {
  return JSON.parse(readFileSync(lockfile, "utf8")).packages;
}

/** The pinned Node, otherwise this process's if it is new enough. */
export function findRuntime() {
  const pinned = join(root, "node_modules", ".bin", "node");
  linkRuntime(pinned);
  let fault = "none is packaged for this machine: install Node 24.";
  if (existsSync(pinned)) {
    // This process already runs on it.
    if (realpathSync(pinned) === process.execPath) return pinned;
    const start = () => spawnSync(pinned, ["--version"], { encoding: "utf8" });
    let { status, stderr } = start();
    // The smallest Debian has none.
    if (stderr?.includes("libatomic.so.1") && canInstallPackages) {
      ensurePackages(["libatomic1"]);
      ({ status, stderr } = start());
    }
    if (status === 0) return pinned;
    if (stderr) fault = `the packaged one does not run here: ${stderr.trim()}`;
    // Built for another C library. Without the removal of the link, npm would run it next time.
    rmSync(pinned, { force: true });
  }
  // Node 24 is the first with `await using`.
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return fail(`Node ${process.versions.node} is too old and ${fault}`);
}

/** npm before 11 removes it together with the packages for other platforms. */
function linkRuntime(link) {
  const runtime = join("..", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(link) || !existsSync(join(link, "..", runtime))) return;
  try {
    symlinkSync(runtime, link);
  } catch (error) {
    // Another process was faster.
    if (error.code !== "EEXIST") throw error;
  }
}

/** The commit is null without git. The folder may be inside of another project's clone. */
export function findVersion() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
  const isClone = existsSync(join(root, ".git"));
  const git = isClone ? spawnSync("git", describe, { cwd: root, encoding: "utf8" }) : null;
  return { version: String(version), commit: git?.stdout?.trim() || null };
}

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

export function isBuilt() {
  return existsSync(buildStamp) && readFileSync(buildStamp, "utf8") === hashBuildInputs();
}

/** Another process may be building it already: then this waits. */
export function ensureBuilt(runtime) {
  if (isBuilt()) return;
  console.log("Building the site …");
  const { status, stdout, stderr } = spawnSync(runtime, ["scripts/build.ts", "--if-stale"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) fail(`${stdout}${stderr}\nThe site could not be built: see above.`);
}

/** The cache halves the time of each start. */
const compileCache = join(root, "node_modules", ".cache", "compiled");

/** In this process, if it already runs on the project's Node. The program sets the exit code. */
export async function runInPlace(runtime, file, args = []) {
  if (realpathSync(runtime) !== process.execPath) {
    process.exitCode = await run(runtime, [file, ...args]);
    return;
  }
  process.argv.splice(1, Infinity, join(root, file), ...args);
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  stopWithNpm(() => process.kill(process.pid, "SIGTERM"));
  await import(pathToFileURL(join(root, file)).href);
}

/**
 * Forwards signals. The IPC channel tells the program when this process ends. Resolves with the exit code.
 * `stderr` is a stream that gets that output instead of this process's own.
 */
export function run(runtime, args, environment = {}, { stderr } = {}) {
  const child = spawn(runtime, args, {
    cwd: root,
    stdio: ["inherit", "inherit", stderr ? "pipe" : "inherit", "ipc"],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, ...environment },
  });
  child.stderr?.pipe(stderr);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  stopWithNpm(() => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.once("error", (error) => fail(`${args[0]} cannot be run: ${error.message}`));
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** A killed npm forwards no signal, but this process gets another parent. */
function stopWithNpm(stop) {
  const npm = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== npm && stop(), 500).unref();
}
