import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../lib/error-message.ts";

export interface ListenOptions {
  url: string;
  /** What to do with a message, by channel. */
  handlers: Record<string, (payload: string) => unknown>;
  /** Called whenever listening has begun, again after every loss: messages may have been missed, so read everything anew. */
  onConnected: () => unknown;
  log: Logger;
  /** How often a silent connection is tried, and how long it may take to answer, in ms. */
  check?: { every: number; within: number };
  random?: () => number;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

export interface Listening {
  /** Resolves when the first try has ended: with what `onConnected` did, or without a connection. */
  tried: Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens to PostgreSQL's notifications on a connection of its own, which it replaces for ever when it is lost. It never
 * throws; what a handler throws is logged. After `close()` no handler is called.
 */
export function listen(options: ListenOptions): Listening {
  const closing = new AbortController();
  const { promise: tried, resolve } = Promise.withResolvers<void>();
  const ended = keepListening(options, closing.signal, resolve);
  return {
    tried,
    close() {
      closing.abort();
      return ended;
    },
  };
}

/** @param tried told how each try went, for whoever waits for the first one */
async function keepListening(
  options: ListenOptions,
  closing: AbortSignal,
  tried: (what?: Promise<void>) => void,
): Promise<void> {
  const { log, random = Math.random } = options;
  for (let failures = 0; !closing.aborted; failures += 1) {
    const error = await listenOnce(options, closing, (connected) => {
      failures = 0;
      tried(connected);
    });
    tried();
    if (closing.aborted) return;
    // Jitter: instances that lost the same database do not come back all at once.
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS) * (0.5 + random() / 2);
    log.warn({ error: messageOf(error), retry_ms: Math.round(delay) }, "Not listening to the database's notifications");
    await pause(delay, undefined, { signal: closing }).catch(() => {});
  }
}

/** Listens until the connection is lost or `closing`; answers what ended it. */
async function listenOnce(
  options: ListenOptions,
  closing: AbortSignal,
  begun: (connected: Promise<void>) => void,
): Promise<unknown> {
  const { url, handlers, onConnected, log, check = { every: 30_000, within: 5_000 } } = options;
  const client = new pg.Client({
    connectionString: url,
    application_name: "front-row-listen",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: check.within,
  });
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("The connection has ended")));
  const over = AbortSignal.any([closing, lost.signal]);
  const hangUp = () => client.connection.stream.destroy(); // a goodbye might never be answered
  over.addEventListener("abort", hangUp);
  client.on("notification", ({ channel, payload = "" }) => {
    if (!over.aborted) void guarded(() => handlers[channel]?.(payload), log);
  });
  try {
    await client.connect();
    for (const channel of Object.keys(handlers)) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    begun(guarded(onConnected, log));
    for (;;) {
      await pause(check.every, undefined, { signal: over });
      await client.query("select 1");
    }
  } catch (error) {
    return lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    hangUp();
  }
}

async function guarded(call: () => unknown, log: Logger): Promise<void> {
  try {
    await call();
  } catch (error) {
    log.error({ err: error }, "Handling a database notification failed");
  }
}
