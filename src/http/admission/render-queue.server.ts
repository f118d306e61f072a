import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import PQueue from "p-queue";
import { busyPage } from "./busy-page.server.ts";

export interface RenderQueue {
  /** Renders a page when those queued before it are done. */
  run<T>(render: () => Promise<T>): Promise<T>;
  /** @throws BusyPageError 503 when the next page would wait too long */
  admit(): void;
}

interface RenderQueueOptions {
  onRefused: () => void;
  /** In ms; shorter than the delay of a refusal. */
  maxWait?: number;
  /** A queue shorter than this refuses nobody, so that a slow but idle machine serves everybody. */
  minQueueLength?: number;
  now?: () => number;
}

/** After this time, in ms, a rendering no longer blocks the queue. */
const TIMEOUT = 5_000;

/** Event-loop ticks between two renderings: Node accepts one connection per tick. */
const PAUSE_TICKS = 16;

/** The weight of the last rendering in the moving average; low, because one delayed rendering says little. */
const WEIGHT = 0.1;

/**
 * Renders one page at a time: concurrent renderings only delay each other and everything else in the process.
 */
export function createRenderQueue({
  onRefused,
  maxWait = 300,
  minQueueLength = 8,
  now = () => performance.now(),
}: RenderQueueOptions): RenderQueue {
  /** Each rendering is followed by a pause, which does not delay its own page. */
  const queue = new PQueue({ concurrency: 1, timeout: TIMEOUT });
  let startedAt = 0;
  let average = 0;

  async function pause(): Promise<void> {
    for (let tick = 0; tick < PAUSE_TICKS; tick++) await yieldToEventLoop();
    average += WEIGHT * (now() - startedAt - average);
  }

  return {
    run(render) {
      const rendered = queue.add(() => {
        startedAt = now();
        return render();
      });
      void queue.add(pause, { timeout: undefined });
      return rendered;
    },
    admit() {
      const ahead = (queue.size + queue.pending) / 2;
      if (ahead < minQueueLength || ahead * average <= maxWait) return;
      onRefused();
      throw busyPage;
    },
  };
}
