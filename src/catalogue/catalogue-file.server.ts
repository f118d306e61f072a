import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Logger } from "pino";
import { z } from "zod";
import { talliesSchema } from "../domain/review.ts";
import { listedShow, YEAR } from "../domain/show.ts";
import { messageOf } from "../lib/error-message.ts";
import type { Snapshot } from "./snapshot-queries.server.ts";

/** Grows with every change that makes earlier files unreadable. */
const FORMAT = 3;

/** Files that are older, in ms, are not read: nobody should take them for the list of today. */
const MAX_AGE = 7 * 24 * 60 * 60_000;

/** In bytes: the file, and what is in it. A real one has some 0.6 and 4 MB. */
const MAX_FILE = 20_000_000;
const MAX_TEXT = 200_000_000;

/** The least time between two writes, in ms. */
const WRITE_INTERVAL = 60_000;

/** The last snapshot on disk, for a start while the database is away (docs/product.md §8.5). */
export interface CatalogueFile {
  /** The snapshot; null, with a line in the log, if there is none that can be used. */
  read(): Promise<Snapshot | null>;
  /** Writes a snapshot in place of the last one, at most once in an interval. Failures are logged. */
  write(snapshot: Snapshot): Promise<void>;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const content = z.object({
  format: z.literal(FORMAT),
  year: z.literal(YEAR),
  saved_at: z.iso.datetime(),
  shows: z.array(z.object(listedShow.shape).omit({ reviews: true })),
  tallies: z.array(z.object({ ...talliesSchema.shape, show_id: z.string(), revision: z.number() })),
  metadata: z.array(
    z.object({
      id: z.string(),
      address: z.nullable(z.string()),
      performances: z.nullable(z.string()),
    }),
  ),
});

export function createCatalogueFile(path: string, log: Logger, now: () => number = Date.now): CatalogueFile {
  let writtenAt = Number.NEGATIVE_INFINITY;

  async function parseFile(): Promise<Snapshot> {
    const { size } = await stat(path);
    if (size > MAX_FILE) throw new Error(`it has ${size} bytes, more than ${MAX_FILE}`);
    const text = await decompress(await readFile(path), { maxOutputLength: MAX_TEXT });
    const { saved_at, shows, tallies, metadata } = content.parse(JSON.parse(text.toString()));
    if (now() - Date.parse(saved_at) > MAX_AGE) throw new Error(`it is of ${saved_at}`);
    return { shows, tallies, metadata };
  }

  async function replaceFile(snapshot: Snapshot): Promise<void> {
    const saved = { format: FORMAT, year: YEAR, saved_at: new Date(now()).toISOString(), ...snapshot };
    // Whole or not at all, also when several instances share it.
    const temporary = `${path}.${process.pid}.tmp`;
    await writeFile(temporary, await compress(JSON.stringify(saved)));
    await rename(temporary, path);
  }

  return {
    read: () =>
      parseFile().catch((error) => {
        log.warn({ file: path, error: reasonOf(error) }, "The catalogue file cannot be used");
        return null;
      }),
    async write(snapshot) {
      if (snapshot.tallies === null || now() - writtenAt < WRITE_INTERVAL) return;
      writtenAt = now();
      await replaceFile(snapshot).catch((error) =>
        log.warn({ file: path, error: messageOf(error) }, "The catalogue file could not be written"),
      );
    },
  };
}

/** In one line: zod's messages have one for each problem. */
function reasonOf(error: unknown): string {
  return error instanceof z.ZodError ? "it is no catalogue of this version" : messageOf(error);
}
