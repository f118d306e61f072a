import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { OperatorError } from "../../lib/error-message.ts";
import { type Binaries, embeddedRelease } from "./binaries.server.ts";
import { EMBEDDED_NAME, readConnectionInfo, writeConnectionInfo } from "./connection-info.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import { fatalError } from "./postgres-process.server.ts";
import { giveOwnership, type RunAs } from "./run-as.server.ts";

interface ClusterOptions {
  dataDir: string;
  binaries: Binaries;
  runAs: RunAs;
  log: Logger;
  signal: AbortSignal;
}

/** Returns the superuser's password. @throws OperatorError */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { cluster } = embeddedPaths(options.dataDir);
  await removeUnfinished(options.dataDir);
  const owner = await stat(cluster).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner === undefined) return createCluster(options).finally(() => removeUnfinished(options.dataDir));
  await refuseOtherMajor(options.dataDir, cluster);
  await chownCluster(cluster, owner, options.runAs);
  return (await readConnectionInfo(options.dataDir))?.password ?? (await resetPassword(options));
}

async function refuseOtherMajor(dataDir: string, cluster: string): Promise<void> {
  const major = (await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => "")).trim();
  const own = embeddedRelease.version.replace(/\..*/, "");
  if (major === "" || major === own) return;
  throw new OperatorError(
    `The database in ${dataDir} is of PostgreSQL ${major}, and this version of Front Row has PostgreSQL ${own}: run \`npm run admin -- backup\` with the version that made it, empty the folder, start this version, and restore the backup.`,
  );
}

/** The server may run as another user than last time, for example in a container. */
async function chownCluster(cluster: string, from: number, { owner = { uid: 0, gid: 0 } }: RunAs) {
  if (process.getuid?.() !== 0 || from === owner.uid) return;
  await promisify(execFile)("chown", ["-R", `${owner.uid}:${owner.gid}`, cluster]);
}

/** Renames the complete cluster into place. The next start removes an incomplete one. */
async function createCluster(options: ClusterOptions): Promise<string> {
  const { dataDir, binaries, runAs, log } = options;
  const { cluster } = embeddedPaths(dataDir);
  log.info({ folder: cluster }, "Creating the embedded database");
  const password = newPassword();
  const folder = await mkdtemp(`${cluster}.new-`);
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await giveOwnership(runAs, folder, passwordFile);
  const unfinished = path.join(folder, "cluster");
  await run(options, [
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${EMBEDDED_NAME}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ]);
  // Before the rename, because a password without a cluster does no harm.
  await writeConnectionInfo(dataDir, { port: 0, password }, runAs);
  await rename(unfinished, cluster);
  return password;
}

/** PostgreSQL's single-user mode needs no password. */
async function resetPassword(options: ClusterOptions): Promise<string> {
  const { dataDir, binaries, runAs, log } = options;
  const { cluster, connectionInfo } = embeddedPaths(dataDir);
  log.warn({ file: connectionInfo }, "The embedded database's password is missing; setting a new one");
  const password = newPassword();
  const statement = `alter role ${EMBEDDED_NAME} password '${password}'\n`;
  await run(options, [binaries.postgres, "--single", "-D", cluster, "postgres"], statement);
  await writeConnectionInfo(dataDir, { port: 0, password }, runAs);
  return password;
}

function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

async function removeUnfinished(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("postgres.new-"));
  await Promise.all(
    names.map((name) => rm(path.join(dataDir, name), { recursive: true, force: true }).catch(() => {})),
  );
}

async function run(
  { runAs, binaries, signal }: ClusterOptions,
  [program, ...programArgs]: readonly [string, ...string[]],
  input = "",
): Promise<void> {
  const [file = program, ...args] = [...runAs.prefix, program, ...programArgs];
  const child = spawn(file, args, {
    ...runAs.ids,
    env: binaries.env,
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
  });
  // `spawn`'s own `signal` would not wait for the child's end.
  signal.addEventListener("abort", () => child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  child.stdin.on("error", () => {}).end(input);
  const [code, errors] = await Promise.all([ended, text(child.stderr)]);
  if (code === 0) return;
  throw new OperatorError(
    `The embedded database could not be created: ${fatalError(errors) || `exit code ${code}`}`,
  );
}
