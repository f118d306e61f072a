import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import PQueue from "p-queue";

/** A page or a picture to be rendered. */
interface QueuedPage {
  /** Whose page it is; null for a page that goes before all others. */
  client: string | null;
}

export interface RenderQueue {
  /**
   * Renders a page when those queued before it are done. Clients take turns.
   * @param render its signal aborts at the timeout
   */
  run<T>(page: QueuedPage, render: (signal?: AbortSignal) => Promise<T>): Promise<T>;
  /** @throws `refusal` when the client's next page would wait too long */
  admit(page: QueuedPage): void;
}

interface RenderQueueOptions {
  onRefused: () => void;
  /** The error of a page that is refused. */
  refusal: Error;
  /** In ms; shorter than the delay of a refusal. */
  maxWait?: number;
  /** A queue shorter than this refuses nobody, so that a slow but idle machine serves everybody. */
  minQueueLength?: number;
  /** After this time, in ms, a rendering no longer blocks the queue. */
  timeout?: number;
  now?: () => number;
}

/** Event-loop ticks between two renderings: Node accepts one connection per tick. */
const PAUSE_TICKS = 16;

/** The weight of the last rendering in the moving average; low, because one delayed rendering says little. */
const WEIGHT = 0.1;

/** The priority of the pause after a rendering, and of a page that goes before all others. */
const FIRST = 1;

interface WaitingPages {
  count: number;
  /** The round of the last one. */
  round: number;
}

/**
 * Renders one page at a time: concurrent renderings only delay each other and everything else in the process.
 * Clients take turns: a round has one page of each, and a client's next page is in the round after its last
 * one. So a client with many pages makes nobody else wait for all of them, and its own keep their order.
 */
export function createRenderQueue({
  onRefused,
  refusal,
  maxWait = 300,
  minQueueLength = 8,
  timeout = 5_000,
  now = () => performance.now(),
}: RenderQueueOptions): RenderQueue {
  const queue = new PQueue({ concurrency: 1, timeout });
  /** The pages that each client waits for. */
  const waiting = new Map<string, WaitingPages>();
  /** The round of the page that was started last. */
  let currentRound = 0;
  let startedAt = 0;
  let average = 0;

  /** Adds a page of the client. Returns its round. */
  function enter(client: string): number {
    const { count, round: last } = waiting.get(client) ?? { count: 0, round: 0 };
    const round = Math.max(currentRound, last) + 1;
    waiting.set(client, { count: count + 1, round });
    return round;
  }

  function leave(client: string): void {
    const pages = waiting.get(client);
    if (pages && --pages.count === 0) waiting.delete(client);
  }

  async function pause(): Promise<void> {
    for (let tick = 0; tick < PAUSE_TICKS; tick++) await yieldToEventLoop();
    average += WEIGHT * (now() - startedAt - average);
  }

  return {
    async run({ client }, render) {
      const round = client === null ? null : enter(client);
      try {
        return await queue.add(
          ({ signal }) => {
            startedAt = now();
            currentRound = round ?? currentRound;
            // A job of its own: it does not delay its page.
            void queue.add(pause, { timeout: undefined, priority: FIRST });
            return render(signal);
          },
          { priority: round === null ? FIRST : -round },
        );
      } finally {
        if (client !== null) leave(client);
      }
    },
    admit({ client }) {
      const own = (waiting.get(client ?? "")?.count ?? 0) + 1;
      const ahead = waiting.values().reduce((sum, { count }) => sum + Math.min(count, own), 0);
      if (ahead < minQueueLength || ahead * average <= maxWait) return;
      onRefused();
      throw refusal;
    },
  };
}
