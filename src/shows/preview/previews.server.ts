import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { TimeoutError } from "p-queue";
import type { Piscina } from "piscina";
import { createRenderQueue } from "../../http/load-shedding/render-queue.server.ts";
import { unavailable } from "../../http/requests/errors.server.ts";
import { digestOf } from "../../lib/hash.server.ts";
import type { Preview } from "./preview.server.ts";

/** @throws HttpError 503 when it would wait too long, or could not be drawn in time */
type DrawPreview = (preview: Preview, client: string) => Promise<Picture>;

type Picture = Uint8Array<ArrayBuffer>;

/** In ms. Services give up a preview after some ten seconds. */
const MAX_WAIT = 8_000;

/** What is drawn too late for one is kept for the next. */
const MIN_QUEUE_LENGTH = 100;

/** In bytes: some 200 pictures. */
const MAX_BYTES = 16_000_000;

/** In ms. After it, the thread is ended; long, because it yields to all others. */
const TIMEOUT = 30_000;

/** In ms. After it, the thread ends and gives back its memory. */
const IDLE_TIMEOUT = 30_000;

/** The thread draws while nobody else needs the processor. Linux only. */
const NICE = 19;

/** Beside this module in the sources; in the build, this may be in a folder below. */
const workerFile =
  ["draw-preview.js", "../draw-preview.js"]
    .map((file) => join(import.meta.dirname, file))
    .find((file) => existsSync(file)) ?? join(import.meta.dirname, "draw-preview.server.ts");

const version = digestOf(readFileSync(workerFile));

export function digestOfPreview(preview: Preview): string {
  return digestOf(version + JSON.stringify(preview));
}

/** Piscina alone takes 6 MB, which a site that draws nothing saves. */
async function createPool(): Promise<Piscina> {
  const { Piscina } = await import("piscina");
  return new Piscina({
    filename: workerFile,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT,
    niceIncrement: NICE,
    // A thread that waits in Atomics never frees the native memory of what it has drawn.
    atomics: "disabled",
  });
}

export function createDrawPreview(onRefused: () => void): DrawPreview {
  let pool: Promise<Piscina> | undefined;
  const pictures = new LRUCache<string, Picture>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  const queue = createRenderQueue({
    onRefused,
    refusal: unavailable,
    maxWait: MAX_WAIT,
    minQueueLength: MIN_QUEUE_LENGTH,
    timeout: TIMEOUT,
  });

  async function drawNew(
    preview: Preview,
    digest: string,
    signal: AbortSignal | undefined,
  ): Promise<Picture> {
    pool ??= createPool();
    const picture = await (await pool).run(preview, { signal });
    pictures.set(digest, picture);
    return picture;
  }

  return async function drawPreview(preview, client) {
    const digest = digestOfPreview(preview);
    const existing = pictures.get(digest);
    if (existing) return existing;
    queue.shedLoad(client);
    try {
      // Each waits for its own turn: a picture may be drawn for another client before.
      return await queue.run(
        client,
        async (signal) => pictures.get(digest) ?? drawNew(preview, digest, signal),
      );
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      onRefused();
      throw unavailable;
    }
  };
}
