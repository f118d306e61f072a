import { chown, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { RunAs } from "./run-as.server.ts";

/** The superuser of the embedded server, and the name of the one database that Front Row uses in it. */
export const EMBEDDED_NAME = "front_row";

const facts = z.object({ port: z.int(), password: z.string().min(1) });

/** How to connect to the embedded server of a data folder. Port 0: it has never run. */
export type Facts = z.infer<typeof facts>;

/** Where the parts of the embedded server lie in a data folder. */
export function embeddedPaths(dataDir: string) {
  return {
    cluster: path.join(dataDir, "postgres"),
    facts: path.join(dataDir, "postgres.json"),
    log: path.join(dataDir, "postgres.log"),
    libraries: path.join(dataDir, "postgres-lib"),
  };
}

/** The URL of a database in the embedded server. */
export function embeddedUrl({ port, password }: Facts, database = EMBEDDED_NAME): string {
  return `postgres://${EMBEDDED_NAME}:${password}@127.0.0.1:${port}/${database}`;
}

/** What the last start of the embedded server wrote down, or null when nothing usable was. */
export async function readFacts(dataDir: string): Promise<Facts | null> {
  try {
    return facts.parse(JSON.parse(await readFile(embeddedPaths(dataDir).facts, "utf8")));
  } catch {
    return null;
  }
}

/** Puts the facts in place whole, readable by the owner alone. */
export async function writeFacts(dataDir: string, value: Facts, runAs: RunAs): Promise<void> {
  const file = embeddedPaths(dataDir).facts;
  const written = `${file}.new`;
  await writeFile(written, JSON.stringify(value), { mode: 0o600, flush: true });
  await giveTo(runAs, written);
  await rename(written, file);
}

/** What root makes for the server belongs to the user that the server runs as. */
export async function giveTo({ owner }: RunAs, ...files: string[]): Promise<void> {
  if (owner) await Promise.all(files.map((file) => chown(file, owner.uid, owner.gid)));
}
