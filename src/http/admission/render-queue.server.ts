import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import PQueue from "p-queue";
import { busyPage } from "./busy-page.server.ts";

/** A page to be rendered. */
interface QueuedPage {
  /** Whose page it is; null for a page that goes before all others. */
  client: string | null;
}

export interface RenderQueue {
  /** Renders a page when those queued before it are done. Clients take turns. */
  run<T>(page: QueuedPage, render: () => Promise<T>): Promise<T>;
  /** @throws BusyPageError 503 when the client's next page would wait too long */
  admit(page: QueuedPage): void;
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

/** The priority of the pause after a rendering, and of a page that goes before all others. */
const FIRST = 1;

/**
 * Renders one page at a time: concurrent renderings only delay each other and everything else in the process.
 * A client's second page has the priority of the second pages of others, so that a client with many pages
 * makes nobody else wait for all of them.
 */
export function createRenderQueue({
  onRefused,
  maxWait = 300,
  minQueueLength = 8,
  now = () => performance.now(),
}: RenderQueueOptions): RenderQueue {
  const queue = new PQueue({ concurrency: 1, timeout: TIMEOUT });
  /** The number of pages that each client waits for. */
  const waiting = new Map<string, number>();
  let startedAt = 0;
  let average = 0;

  const countOf = ({ client }: QueuedPage) => (client === null ? 0 : (waiting.get(client) ?? 0));

  function change({ client }: QueuedPage, by: 1 | -1): void {
    if (client === null) return;
    const count = countOf({ client }) + by;
    if (count > 0) waiting.set(client, count);
    else waiting.delete(client);
  }

  async function pause(): Promise<void> {
    for (let tick = 0; tick < PAUSE_TICKS; tick++) await yieldToEventLoop();
    average += WEIGHT * (now() - startedAt - average);
  }

  return {
    async run(page, render) {
      const priority = page.client === null ? FIRST : -countOf(page);
      change(page, 1);
      try {
        return await queue.add(
          () => {
            startedAt = now();
            // A job of its own: it does not delay its page.
            void queue.add(pause, { timeout: undefined, priority: FIRST });
            return render();
          },
          { priority },
        );
      } finally {
        change(page, -1);
      }
    },
    admit(page) {
      const own = countOf(page) + 1;
      const ahead = waiting.values().reduce((sum, count) => sum + Math.min(count, own), 0);
      if (ahead < minQueueLength || ahead * average <= maxWait) return;
      onRefused();
      throw busyPage;
    },
  };
}
