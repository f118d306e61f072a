import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import PQueue, { TimeoutError } from "p-queue";

interface RenderQueueOptions {
  onRefused: () => void;
  refusal: Error;
  /** In ms; shorter than the delay of a refusal. */
  maxWait?: number;
  /** A shorter queue refuses no page, so that a slow but idle machine serves all of them. */
  minQueueLength?: number;
  /** In ms. A longer rendering no longer blocks the queue. */
  timeout?: number;
  now?: () => number;
}

/** Event-loop ticks between two renderings: Node accepts one connection per tick. */
const PAUSE_TICKS = 16;

/** The newest rendering's share of the average. Low, because a single delay says little. */
const WEIGHT = 0.1;

/** The priority of pauses, and of pages without a client. */
const FIRST = 1;

/**
 * Renders one page at a time: concurrent ones would only delay each other and the process. Clients take turns,
 * one page of each in a round, so that no client waits for all pages of another one.
 */
export function createRenderQueue({
  onRefused,
  refusal,
  maxWait = 300,
  minQueueLength = 8,
  timeout = 5_000,
  now = () => performance.now(),
}: RenderQueueOptions) {
  const queue = new PQueue({ concurrency: 1, timeout });
  const waiting = new Map<string, { count: number; round: number }>();
  let currentRound = 0;
  let startedAt = 0;
  let average = 0;

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

  function refuse(): never {
    onRefused();
    throw refusal;
  }

  return {
    /**
     * @param client null for a page that comes first
     * @throws `refusal` when the rendering takes longer than `timeout`
     */
    async run<T>(client: string | null, render: (signal?: AbortSignal) => Promise<T>): Promise<T> {
      const round = client === null ? null : enter(client);
      try {
        return await queue.add(
          ({ signal }) => {
            startedAt = now();
            currentRound = round ?? currentRound;
            // In a job of its own, so that the page does not wait for its pause.
            void queue.add(pause, { timeout: undefined, priority: FIRST });
            return render(signal);
          },
          { priority: round === null ? FIRST : -round },
        );
      } catch (error) {
        if (error instanceof TimeoutError) refuse();
        throw error;
      } finally {
        if (client !== null) leave(client);
      }
    },
    /** @throws `refusal` when the client's next page would wait too long */
    shedLoad(client: string): void {
      const own = (waiting.get(client)?.count ?? 0) + 1;
      const ahead = waiting.values().reduce((sum, { count }) => sum + Math.min(count, own), 0);
      if (ahead >= minQueueLength && ahead * average > maxWait) refuse();
    },
  };
}
