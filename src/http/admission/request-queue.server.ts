import { setImmediate as yieldToEventLoop } from "node:timers/promises";

interface QueuedRequest {
  start: () => void;
  refuse: () => void;
}

interface RequestQueueOptions {
  /** In ms. */
  maxWait: number;
  /**
   * A queue of this length or shorter refuses nobody, so that a process that only stalled serves everybody.
   */
  minQueueLength: number;
  now: () => number;
}

/** How long requests are started within one event-loop tick, in ms. */
const SLICE = 1;

/**
 * Starts requests in order, a few per event-loop tick, and refuses those that have waited too long: their
 * wait measures the event-loop delay. Ticks stay short because Node accepts one connection per tick; in long
 * ticks a crowd waits for seconds in the kernel's backlog, where the process cannot see it.
 */
export function createRequestQueue({ maxWait, minQueueLength, now }: RequestQueueOptions): {
  add(request: QueuedRequest): void;
} {
  const queue: (QueuedRequest & { since: number })[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      await yieldToEventLoop();
      refuseLate();
      await startSome();
    }
    isRunning = false;
  }

  function refuseLate(): void {
    const oldestAllowed = now() - maxWait;
    while (queue.length > minQueueLength && (queue[0]?.since ?? oldestAllowed) < oldestAllowed) queue.shift()?.refuse();
  }

  async function startSome(): Promise<void> {
    const end = now() + SLICE;
    do {
      queue.shift()?.start();
      await null; // let the microtasks of the started request run first
    } while (queue.length > 0 && now() < end);
  }

  return {
    add(request) {
      queue.push({ ...request, since: now() });
      if (!isRunning) void run();
    },
  };
}
