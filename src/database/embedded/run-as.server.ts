import { execFile } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { messageOf, OperatorError } from "../../lib/error-message.ts";
import type { Binaries } from "./binaries.server.ts";
import { embeddedPaths } from "./paths.server.ts";

const run = promisify(execFile);

interface Ids {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses root; initdb also refuses a user without a name. */
export interface RunAs {
  prefix: string[];
  ids?: Ids;
  /** Owns the server's files; undefined: the user of this process. */
  owner?: Ids;
}

const asCurrentUser: RunAs = { prefix: [] };

/** @throws OperatorError if PostgreSQL's programs run as no candidate */
export async function findRunAs(binaries: Binaries, folder: string): Promise<RunAs> {
  const isRoot = process.getuid?.() === 0;
  let problem = "";
  for (const candidate of isRoot
    ? await candidatesForRoot(folder)
    : [asCurrentUser, ...(await inUserNamespace())]) {
    try {
      await attempt(candidate, binaries, folder);
      return candidate;
    } catch (error) {
      problem ||= lastLine(error);
    }
  }
  throw new OperatorError(
    isRoot
      ? `PostgreSQL does not run as root, nor as another user here (${problem}): run as an ordinary user or set DATABASE_URL.`
      : `The embedded PostgreSQL does not run here (${problem}): set DATABASE_URL.`,
  );
}

export async function giveOwnership({ owner }: RunAs, ...files: string[]): Promise<void> {
  if (owner) await Promise.all(files.map((file) => chown(file, owner.uid, owner.gid)));
}

async function attempt({ prefix, ids }: RunAs, { postgres, env }: Binaries, folder: string): Promise<void> {
  // Only initdb needs a user with a name.
  const script = 'cd "$1" && { [ -e postgres ] || id -un; } && exec "$2" --version';
  const [command = "", ...args] = [...prefix, "/bin/sh", "-c", script, "sh", folder, postgres];
  await run(command, args, { ...ids, env, cwd: "/" });
}

/** In a user namespace, root's files appear as the other user's. Containers may forbid namespaces. */
async function candidatesForRoot(folder: string): Promise<RunAs[]> {
  const { uid, gid } = await stat(embeddedPaths(folder).cluster).catch(() => stat(folder));
  const owner = uid === 0 ? [] : [{ uid, gid }];
  const others = (await Promise.all([userNamed("postgres"), userNamed("nobody")])).flat();
  return [
    ...owner.map(asUser),
    ...(await inUserNamespace()),
    ...others.map(asUser),
    ...[...owner, ...others].map(asUserBypassingPermissions),
  ];
}

function asUser(ids: Ids): RunAs {
  return { prefix: [], ids, owner: ids };
}

/** initdb asks `access`, which heeds capabilities with `no_setuid_fixup` only. */
function asUserBypassingPermissions({ uid, gid }: Ids): RunAs {
  const capability = [
    "--securebits=+no_setuid_fixup",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
  ];
  return {
    prefix: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...capability, "--"],
    owner: { uid, gid },
  };
}

async function inUserNamespace(): Promise<RunAs[]> {
  const nobody = await userNamed("nobody");
  return nobody.map(({ uid, gid }) => ({
    prefix: ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  }));
}

async function userNamed(name: string): Promise<Ids[]> {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
  return Number(uid) > 0 ? [{ uid: Number(uid), gid: Number(gid) }] : [];
}

function lastLine(error: unknown): string {
  const text =
    error instanceof Error && "stderr" in error && error.stderr ? String(error.stderr) : messageOf(error);
  return text.trim().split("\n").at(-1) ?? "";
}
