import { execFile } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { messageOf } from "../../lib/error-message.ts";
import { DatabaseStartError } from "../startup-error.server.ts";
import type { Binaries } from "./binaries.server.ts";
import { embeddedPaths } from "./paths.server.ts";

const run = promisify(execFile);

interface Ids {
  uid: number;
  gid: number;
}

/** As whom the server's programs run: PostgreSQL refuses root, and initdb a user without a name. */
export interface RunAs {
  /** Words to put in front of every command. */
  prefix: string[];
  /** For `spawn`. */
  ids?: Ids;
  /** Who owns the server's files; undefined: whoever runs this process. */
  owner?: Ids;
}

const asMyself: RunAs = { prefix: [] };

/**
 * The first way of running the server's programs that works here, found by trying.
 * @param folder the data folder, which they must be able to enter
 * @throws DatabaseStartError when none works
 */
export async function findRunAs(binaries: Binaries, folder: string): Promise<RunAs> {
  const isRoot = process.getuid?.() === 0;
  let problem = "";
  for (const candidate of isRoot ? await candidatesForRoot(folder) : [asMyself, ...(await inOwnNamespace())]) {
    try {
      await attempt(candidate, binaries, folder);
      return candidate;
    } catch (error) {
      problem ||= lastLine(error);
    }
  }
  throw new DatabaseStartError(
    isRoot
      ? `PostgreSQL does not run as root, nor as another user here (${problem}): run as an ordinary user or set DATABASE_URL.`
      : `The embedded PostgreSQL does not run here (${problem}): set DATABASE_URL.`,
  );
}

/** What root makes for the server belongs to the user that the server runs as. */
export async function giveTo({ owner }: RunAs, ...files: string[]): Promise<void> {
  if (owner) await Promise.all(files.map((file) => chown(file, owner.uid, owner.gid)));
}

async function attempt({ prefix, ids }: RunAs, { postgres, env }: Binaries, folder: string): Promise<void> {
  // initdb alone wants the user to have a name: a cluster that exists needs none.
  const script = 'cd "$1" && { [ -e postgres ] || id -un; } && exec "$2" --version';
  const [command = "", ...words] = [...prefix, "/bin/sh", "-c", script, "sh", folder, postgres];
  await run(command, words, { ...ids, env, cwd: "/" });
}

/**
 * Files that are somebody else's stay theirs. Else a user namespace is best: in it root's own files seem to be the
 * unprivileged user's, so that folders which only root may enter are no obstacle. Where containers forbid it, a real
 * unprivileged user does, if need be one that may pass such folders.
 */
async function candidatesForRoot(folder: string): Promise<RunAs[]> {
  const { uid, gid } = await stat(embeddedPaths(folder).cluster).catch(() => stat(folder));
  const owner = uid === 0 ? [] : [{ uid, gid }];
  const others = (await Promise.all([userNamed("postgres"), userNamed("nobody")])).flat();
  return [
    ...owner.map(asUser),
    ...(await inOwnNamespace()),
    ...others.map(asUser),
    ...[...owner, ...others].map(asUserWhoPassesFolders),
  ];
}

function asUser(ids: Ids): RunAs {
  return { prefix: [], ids, owner: ids };
}

function asUserWhoPassesFolders({ uid, gid }: Ids): RunAs {
  const capability = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  return {
    prefix: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...capability, "--"],
    owner: { uid, gid },
  };
}

async function inOwnNamespace(): Promise<RunAs[]> {
  const nobody = await userNamed("nobody");
  return nobody.map(({ uid, gid }) => ({
    prefix: ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"],
  }));
}

/** The user of that name, if there is one. */
async function userNamed(name: string): Promise<Ids[]> {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
  return Number(uid) > 0 ? [{ uid: Number(uid), gid: Number(gid) }] : [];
}

function lastLine(error: unknown): string {
  const text = error instanceof Error && "stderr" in error && error.stderr ? String(error.stderr) : messageOf(error);
  return text.trim().split("\n").at(-1) ?? "";
}
