import { readFile, rename, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { embeddedPaths } from "./paths.server.ts";
import { giveTo, type RunAs } from "./run-as.server.ts";

/** The superuser of the embedded server, and the name of the one database that Front Row uses in it. */
export const EMBEDDED_NAME = "front_row";

const facts = z.object({ port: z.int(), password: z.string().min(1) });

/** How to connect to the embedded server of a data folder. Port 0: it has never run. */
export type Facts = z.infer<typeof facts>;

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

/** Puts the facts in place whole, readable by their owner alone. */
export async function writeFacts(dataDir: string, value: Facts, runAs: RunAs): Promise<void> {
  if (isDeepStrictEqual(await readFacts(dataDir), value)) return; // so that a full disk is no reason not to start
  const file = embeddedPaths(dataDir).facts;
  const written = `${file}.new`;
  await writeFile(written, JSON.stringify(value), { mode: 0o600, flush: true });
  await giveTo(runAs, written);
  await rename(written, file);
}
