import type { IncomingMessage } from "node:http";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { TimeoutError, withTimeout } from "../../lib/bounded-wait.ts";

/** What one kind of work may take. */
export interface QueueLimits {
  /** Work at a time. */
  places: number;
  /** Work in a place or in the queue, of which a client may have a quarter. */
  room: number;
  /** In ms. Work that waited longer is refused when its turn comes. */
  maxWait: number;
  /** In clients, or in entries of one client. Shorter queues refuse nothing: after a stall, all are served. */
  minLength: number;
  /** Event-loop ticks after each work. Work of milliseconds needs them: Node accepts one connection per tick. */
  pauseTicks?: number;
}

interface QueueOptions extends QueueLimits {
  /** Called when the connection of an upload is closed to make room. */
  onEvicted?: () => void;
  now?: () => number;
}

interface Entry {
  /** Null comes first. An empty one is unknown, and may have more than a quarter. */
  client: string | null;
  start: () => Promise<unknown>;
  /** Without it, the entry is never refused. */
  refuse?: (() => void) | undefined;
  request?: IncomingMessage;
}

interface Admitted extends Entry {
  since: number;
  state: "waiting" | "running" | "over";
}

const SHARE = 1 / 4;

/** In ms of an event-loop tick. In longer ticks, clients would wait unseen in the kernel's backlog. */
const SLICE = 1;

/** Clients take turns, so that none waits for all work of another one (docs/product.md §8.7). */
export function createQueue(options: QueueOptions) {
  const { places, room, maxWait, minLength, pauseTicks = 0 } = options;
  const { onEvicted = () => {}, now = () => performance.now() } = options;
  /** Oldest first; also by client, so that a refusal reads only the client's own. */
  const admitted = new Set<Admitted>();
  const admittedOf = new Map<string | null, Set<Admitted>>();
  /** In the order of turns. */
  const waiting = new Map<string | null, Admitted[]>();
  let running = 0;
  let isStarting = false;

  function hasRoom(client: string | null): boolean {
    const own = client ? admittedOf.get(client) : undefined;
    return hasPlace(own ?? new Set(), room * SHARE) && hasPlace(admitted, room);
  }

  /** If none is free, that of a closed connection, or of the oldest upload: slow ones must not keep others out. */
  function hasPlace(entries: Set<Admitted>, max: number): boolean {
    if (entries.size < max) return true;
    let oldestUpload: Admitted | undefined;
    for (const entry of entries) {
      if (entry.request?.socket.destroyed) {
        leave(entry);
        return true;
      }
      if (entry.request?.complete === false) oldestUpload ??= entry;
    }
    if (!oldestUpload) return false;
    oldestUpload.request?.socket.destroy();
    leave(oldestUpload);
    onEvicted();
    return true;
  }

  function leave(entry: Admitted): void {
    if (entry.state === "over") return;
    if (entry.state === "running") running--;
    entry.state = "over";
    admitted.delete(entry);
    const own = admittedOf.get(entry.client);
    own?.delete(entry);
    if (own?.size === 0) admittedOf.delete(entry.client);
    void startSome();
  }

  async function startSome(): Promise<void> {
    if (isStarting) return;
    isStarting = true;
    while (waiting.size > 0 && running < places) {
      await yieldToEventLoop();
      const end = now() + SLICE;
      do {
        const next = takeNext();
        if (next) void run(next);
        await null; // let the microtasks of the started work run first
      } while (waiting.size > 0 && running < places && now() < end);
    }
    isStarting = false;
  }

  function takeNext(): Admitted | undefined {
    const [client = null] = waiting.has(null) ? [] : waiting.keys();
    const queue = waiting.get(client) ?? [];
    while (queue[0] && isLate(queue[0], queue.length)) {
      queue[0].refuse?.();
      leave(queue[0]);
      queue.shift();
    }
    const next = queue.shift();
    waiting.delete(client);
    if (queue.length > 0) waiting.set(client, queue);
    return next;
  }

  /** A client with little work is not refused because others have much: its turn comes soon. */
  function isLate({ refuse, since }: Admitted, length: number): boolean {
    return refuse !== undefined && now() - since > maxWait && Math.max(waiting.size, length) > minLength;
  }

  async function run(entry: Admitted): Promise<void> {
    if (entry.state === "over") return;
    entry.state = "running";
    running++;
    try {
      await entry.start();
    } finally {
      for (let tick = 0; tick < pauseTicks; tick++) await yieldToEventLoop();
      leave(entry);
    }
  }

  return function enter(entry: Entry): void {
    const { client, refuse } = entry;
    if (refuse && !hasRoom(client)) {
      refuse();
      return;
    }
    const added: Admitted = { ...entry, since: now(), state: "waiting" };
    admitted.add(added);
    admittedOf.set(client, (admittedOf.get(client) ?? new Set()).add(added));
    const queue = waiting.get(client) ?? [];
    queue.push(added);
    waiting.set(client, queue);
    void startSome();
  };
}

interface WorkOptions extends QueueOptions {
  refusal: Error;
  /** In ms. Work that takes longer is refused, and no longer has a place. */
  timeout: number;
}

/** @throws the refusal. Work that must be done is refused only when it takes longer than the limit. */
export type RunInTurn = <T>(client: string | null, work: () => Promise<T>, isMust?: boolean) => Promise<T>;

/** For a part of a request, such as the rendering of its page. */
export function createWorkQueue({ refusal, timeout, ...options }: WorkOptions): RunInTurn {
  const enter = createQueue(options);
  return function runInTurn<T>(client: string | null, work: () => Promise<T>, isMust = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const refuse = () => reject(refusal);
    const start = () =>
      withTimeout(timeout, work()).then(resolve, (error) =>
        reject(error instanceof TimeoutError ? refusal : error),
      );
    enter({ client, start, refuse: isMust ? undefined : refuse });
    return promise;
  };
}
