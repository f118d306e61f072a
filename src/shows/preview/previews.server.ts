import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { createWorkQueue } from "../../http/admission/queue.server.ts";
import { TimeoutError, withTimeout } from "../../lib/bounded-wait.ts";
import { digestOf } from "../../lib/hash.server.ts";
import type { Preview } from "./preview.server.ts";

/** @throws the refusal if the picture cannot be drawn in time */
type DrawPreview = (preview: Preview, client: string) => Promise<Picture>;

type Picture = Uint8Array<ArrayBuffer>;

/** In ms, for the turn and the picture. Services give up after about ten seconds. */
const MAX_WAIT = 8_000;

const MIN_QUEUE_LENGTH = 100;
const MAX_QUEUED = 1_000;

/** In bytes: about 200 pictures. */
const MAX_BYTES = 16_000_000;

/** In ms. Then the thread is ended. It is long because the thread yields to all others. */
const TIMEOUT = 30_000;

/** In ms. Then the thread ends, and frees its memory. */
const IDLE_TIMEOUT = 30_000;

/** Beside this module in the sources. The build may put this module into a subfolder. */
const workerFile =
  ["draw-preview.js", "../draw-preview.js"]
    .map((file) => join(import.meta.dirname, file))
    .find((file) => existsSync(file)) ?? join(import.meta.dirname, "draw-preview.server.ts");

const version = digestOf(readFileSync(workerFile));

export function digestOfPreview(preview: Preview): string {
  return digestOf(version + JSON.stringify(preview));
}

/** The thread starts with the first picture. A mistake in it ends it, and the next picture starts another. */
function createThread(): (preview: Preview) => Promise<Picture> {
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(workerFile, { name: "draw-preview" });
    started.unref();
    started.on("error", end);
    return started;
  }

  function end(): void {
    void thread?.terminate();
    thread = undefined;
  }

  /** One picture at a time. */
  return async function draw(preview) {
    clearTimeout(idle);
    thread ??= start();
    thread.postMessage(preview);
    try {
      const [picture] = await once(thread, "message", { signal: AbortSignal.timeout(TIMEOUT) });
      return picture;
    } catch (error) {
      end();
      throw error;
    } finally {
      idle = setTimeout(end, IDLE_TIMEOUT).unref();
    }
  };
}

export function createDrawPreview(refusal: Error, maxWait = MAX_WAIT): DrawPreview {
  const drawInThread = createThread();
  const pictures = new LRUCache<string, Picture>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  const inTurn = createWorkQueue({
    places: 1,
    room: MAX_QUEUED,
    maxWait,
    minLength: MIN_QUEUE_LENGTH,
    timeout: TIMEOUT,
    refusal,
  });

  async function drawNew(preview: Preview, digest: string) {
    const picture = await drawInThread(preview);
    pictures.set(digest, picture);
    return picture;
  }

  return async function drawPreview(preview, client) {
    const digest = digestOfPreview(preview);
    const existing = pictures.get(digest);
    if (existing) return existing;
    const draw = async () => pictures.get(digest) ?? drawNew(preview, digest);
    // Each request waits for its own turn: another client's turn may come earlier.
    const picture = inTurn(client, draw);
    try {
      return await withTimeout(maxWait, picture);
    } catch (error) {
      // The picture is kept for the next request.
      throw error instanceof TimeoutError ? refusal : error;
    }
  };
}
