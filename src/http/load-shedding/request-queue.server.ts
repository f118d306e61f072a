import { setImmediate as yieldToEventLoop } from "node:timers/promises";

interface QueuedRequest {
  client: string;
  start: () => void;
  refuse: () => void;
}

interface RequestQueueOptions {
  /** In ms. */
  maxWait: number;
  /** In clients, or in requests of one client. Shorter queues refuse no request: after a stall, all are served. */
  minQueueLength: number;
  now: () => number;
}

type WaitingRequest = QueuedRequest & { since: number };

const SLICE_MS = 1;

/**
 * Starts a few requests per event-loop tick and refuses those that waited too long: their wait measures the
 * event-loop delay. Clients take turns. Ticks are short because Node accepts one connection per tick: in long
 * ones, clients would wait unseen in the kernel's backlog.
 */
export function createRequestQueue({ maxWait, minQueueLength, now }: RequestQueueOptions) {
  const queues = new Map<string, WaitingRequest[]>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (queues.size > 0) {
      await yieldToEventLoop();
      refuseLate();
      await startSome();
    }
    isRunning = false;
  }

  /** A client with few requests is not refused because others sent many: its turn comes soon. */
  function refuseLate(): void {
    const oldestAllowed = now() - maxWait;
    for (const queue of queues.values()) {
      const isLate = () => (queue[0]?.since ?? oldestAllowed) < oldestAllowed;
      while (Math.max(queues.size, queue.length) > minQueueLength && isLate()) takeFrom(queue)?.refuse();
    }
  }

  async function startSome(): Promise<void> {
    const end = now() + SLICE_MS;
    do {
      takeNext()?.start();
      await null; // let the microtasks of the started request run first
    } while (queues.size > 0 && now() < end);
  }

  function takeNext(): WaitingRequest | undefined {
    const [first] = queues;
    if (!first) return undefined;
    const [client, queue] = first;
    const request = takeFrom(queue);
    if (queues.delete(client)) queues.set(client, queue);
    return request;
  }

  function takeFrom(queue: WaitingRequest[]): WaitingRequest | undefined {
    const request = queue.shift();
    if (request && queue.length === 0) queues.delete(request.client);
    return request;
  }

  return {
    add(request: QueuedRequest): void {
      const queue = queues.get(request.client) ?? [];
      queue.push({ ...request, since: now() });
      queues.set(request.client, queue);
      if (!isRunning) void run();
    },
  };
}
