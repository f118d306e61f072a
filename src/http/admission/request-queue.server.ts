import { setImmediate as nextTurn } from "node:timers/promises";

interface QueuedRequest {
  start: () => void;
  refuse: () => void;
}

interface RequestQueueOptions {
  /** In ms. */
  maxWait: number;
  /** So many may wait longer: a process that was only held up refuses nobody. */
  spare: number;
  now: () => number;
}

/** How long requests start in one turn of the event loop, in ms. */
const SLICE = 1;

/**
 * Starts requests in the order of their arrival, a few in each turn of the event loop, and refuses those that had to wait too
 * long: their wait is the delay of the event loop. Turns stay short because Node accepts one connection in each: in long ones a
 * crowd waits for seconds where no server can see it.
 */
export function createRequestQueue({ maxWait, spare, now }: RequestQueueOptions): {
  add(request: QueuedRequest): void;
} {
  const queue: (QueuedRequest & { since: number })[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      await nextTurn();
      refuseLate();
      await startSome();
    }
    isRunning = false;
  }

  function refuseLate(): void {
    const latest = now() - maxWait;
    while (queue.length > spare && (queue[0]?.since ?? latest) < latest) queue.shift()?.refuse();
  }

  async function startSome(): Promise<void> {
    const end = now() + SLICE;
    do {
      queue.shift()?.start();
      await null; // what those before have left to do comes first
    } while (queue.length > 0 && now() < end);
  }

  return {
    add(request) {
      queue.push({ ...request, since: now() });
      if (!isRunning) void run();
    },
  };
}
