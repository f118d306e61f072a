import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { Piscina } from "piscina";
import { digestOf } from "../../lib/hash.server.ts";
import type { Preview } from "./preview.server.ts";

/** Draws preview pictures in a thread of its own, and keeps the last ones. */
export interface Previews {
  /** Names the picture: previews that say the same have the same. It needs no drawing. */
  hashOf(preview: Preview): string;
  /** The picture, as PNG. @throws PreviewsBusyError */
  draw(preview: Preview): Promise<Uint8Array<ArrayBuffer>>;
}

/** Too many pictures wait to be drawn, or one could not be drawn in time. */
export class PreviewsBusyError extends Error {
  override name = "PreviewsBusyError";
}

/**
 * Pictures that wait for the one that is being drawn: about a second, less than proxies wait for a response.
 */
const MAX_QUEUED = 10;

/** The memory that pictures may take, in bytes: some 200. */
const MAX_BYTES = 16_000_000;

/** After this time, in ms, a drawing is given up, and its thread is ended. */
const TIMEOUT = 10_000;

/** After this time without a drawing, in ms, the thread ends and gives back its memory. */
const IDLE_TIMEOUT = 30_000;

/** How much less of the processors the thread gets than the server itself, as `nice` has it. Linux only. */
const NICE = 10;

/**
 * The worker's file is next to this module in the sources, and has a name of its own in the build, which
 * bundles this module into `build/server` or the folder below.
 */
const workerFile =
  ["draw-preview.js", "../draw-preview.js"]
    .map((file) => join(import.meta.dirname, file))
    .find((file) => existsSync(file)) ?? join(import.meta.dirname, "draw-preview.server.ts");

/** Piscina alone takes 6 MB, which a site that draws nothing saves. */
async function createPool(): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  return new Piscina({
    filename: workerFile,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT,
    niceIncrement: NICE,
  });
}

/** Starts no thread before the first drawing. */
export function createPreviews(): Previews {
  let pool: Promise<Piscina> | undefined;
  const pictures = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  const inFlight = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  /** In Piscina's own queue, later tasks overtake those with a signal, which may wait for ever. */
  const queue = new PQueue({ concurrency: 1 });
  /** A new way to draw makes new pictures. */
  const version = digestOf(readFileSync(workerFile));

  function hashOf(preview: Preview): string {
    return digestOf(version + JSON.stringify(preview));
  }

  async function drawNew(hash: string, preview: Preview): Promise<Uint8Array<ArrayBuffer>> {
    const timeout = AbortSignal.timeout(TIMEOUT);
    const options = { signal: timeout };
    try {
      const picture = await queue.add(async () => {
        pool ??= createPool();
        return (await pool).run(preview, options);
      }, options);
      pictures.set(hash, picture);
      return picture;
    } catch (error) {
      if (timeout.aborted) throw new PreviewsBusyError("A preview was not drawn in time", { cause: error });
      throw error;
    }
  }

  return {
    hashOf,
    async draw(preview) {
      const hash = hashOf(preview);
      const existing = pictures.get(hash) ?? inFlight.get(hash);
      if (existing) return existing;
      if (queue.size >= MAX_QUEUED) throw new PreviewsBusyError("Too many previews wait to be drawn");
      const drawing = drawNew(hash, preview).finally(() => inFlight.delete(hash));
      inFlight.set(hash, drawing);
      return drawing;
    },
  };
}
