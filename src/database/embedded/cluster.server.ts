import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { DatabaseStartError } from "../startup-error.server.ts";
import type { Binaries } from "./binaries.server.ts";
import { EMBEDDED_NAME, readFacts, writeFacts } from "./connection-info.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import { giveTo, type RunAs } from "./run-as.server.ts";

interface Place {
  dataDir: string;
  binaries: Binaries;
  runAs: RunAs;
  log: Logger;
}

/**
 * Makes the database cluster if there is none.
 * @returns the superuser's password
 * @throws DatabaseStartError with the last words of the program that failed
 */
export async function ensureCluster(place: Place): Promise<string> {
  const { cluster } = embeddedPaths(place.dataDir);
  await removeUnfinished(place.dataDir);
  const owner = await stat(cluster).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner === undefined) return createCluster(place).finally(() => removeUnfinished(place.dataDir));
  await changeOwner(cluster, owner, place.runAs);
  return (await readFacts(place.dataDir))?.password ?? (await setNewPassword(place));
}

/** Root may have to run the server as somebody else than the last time: in a container, say. */
async function changeOwner(cluster: string, from: number, { owner = { uid: 0, gid: 0 } }: RunAs): Promise<void> {
  if (process.getuid?.() !== 0 || from === owner.uid) return;
  await promisify(execFile)("chown", ["-R", `${owner.uid}:${owner.gid}`, cluster]);
}

/**
 * The cluster is made beside its place and moved there when it is complete: an interrupted first start leaves nothing but
 * a folder that the next one removes.
 */
async function createCluster({ dataDir, binaries, runAs, log }: Place): Promise<string> {
  const { cluster } = embeddedPaths(dataDir);
  log.info({ folder: cluster }, "Creating the embedded database");
  const password = newPassword();
  const folder = await mkdtemp(`${cluster}.new-`);
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await giveTo(runAs, folder, passwordFile);
  const unfinished = path.join(folder, "cluster");
  await run(runAs, binaries.env, [
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
  // First the facts: a cluster without its password is of less use than a password without its cluster.
  await writeFacts(dataDir, { port: 0, password }, runAs);
  await rename(unfinished, cluster);
  return password;
}

/** The file with the password got lost: PostgreSQL's single-user mode asks for none, and sets another. */
async function setNewPassword({ dataDir, binaries, runAs, log }: Place): Promise<string> {
  const { cluster, facts } = embeddedPaths(dataDir);
  log.warn({ file: facts }, "The embedded database's password is missing; setting a new one");
  const password = newPassword();
  const command = [binaries.postgres, "--single", "-D", cluster, "postgres"];
  await run(runAs, binaries.env, command, `alter role ${EMBEDDED_NAME} password '${password}'\n`);
  await writeFacts(dataDir, { port: 0, password }, runAs);
  return password;
}

function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** The folders that interrupted first starts left. One that cannot be removed now is in nobody's way. */
async function removeUnfinished(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("postgres.new-"));
  await Promise.all(
    names.map((name) => rm(path.join(dataDir, name), { recursive: true, force: true }).catch(() => {})),
  );
}

async function run(runAs: RunAs, env: Record<string, string>, words: string[], input = ""): Promise<void> {
  const [command = "", ...rest] = [...runAs.prefix, ...words];
  const child = spawn(command, rest, { ...runAs.ids, env, cwd: "/", stdio: ["pipe", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  child.stdin.on("error", () => {}).end(input);
  const [code, errors] = await Promise.all([ended, text(child.stderr)]);
  if (code === 0) return;
  const lines = errors.trim().split("\n");
  const said = lines.find((line) => /(error|FATAL|PANIC):/.test(line)) ?? lines.at(-1);
  throw new DatabaseStartError(`The embedded database could not be made: ${said || `exit code ${code}`}`);
}
