import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../lib/error-message.ts";
import { connectionConfig } from "./connection/database-url.server.ts";
import { prepareSession, ReadOnlyServerError, selectReadOnly } from "./connection/session.server.ts";
import { describeOutage } from "./errors.server.ts";

export interface SubscriptionOptions {
  url: string;
  handlers: Record<string, (payload: string) => unknown>;
  onReadOnly?: () => void;
  /** Called after every connect. Must reload everything, because notifications may be lost. */
  onConnected: () => unknown;
  log: Logger;
  /** In ms. */
  heartbeat?: { interval: number; timeout: number };
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 3_000;
const HEARTBEAT_MS = { interval: 2_000, timeout: 5_000 };

/** Reconnects without a limit, also when a handler meets an outage. Other errors of handlers are logged. */
export function subscribeToNotifications(options: SubscriptionOptions) {
  const closing = new AbortController();
  const { promise: firstAttempt, resolve } = Promise.withResolvers<unknown>();
  const ended = reconnectUntilClosed(options, closing.signal, resolve);
  return {
    firstAttempt,
    close() {
      closing.abort();
      return ended;
    },
  };
}

async function reconnectUntilClosed(
  options: SubscriptionOptions,
  closing: AbortSignal,
  onAttempt: (connected?: Promise<unknown>) => void,
): Promise<void> {
  for (let failures = 0; !closing.aborted; failures += 1) {
    const error = await listenUntilLost(options, closing, (connected) => {
      onAttempt(connected);
      void connected.then((isHandled) => {
        if (isHandled) failures = 0;
      });
    });
    onAttempt();
    if (closing.aborted) return;
    // With jitter, because all instances reconnect.
    const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) * (0.5 + Math.random() / 2);
    options.log[failures === 0 ? "warn" : "debug"](
      { error: messageOf(error), retry_ms: Math.round(delay) },
      "Not listening to the database's notifications",
    );
    await pause(delay, undefined, { signal: closing }).catch(() => {});
  }
}

async function listenUntilLost(
  options: SubscriptionOptions,
  closing: AbortSignal,
  onListening: (connected: Promise<boolean>) => void,
): Promise<unknown> {
  const { url, handlers, onConnected, onReadOnly, log, heartbeat = HEARTBEAT_MS } = options;
  const client = new pg.Client({
    ...connectionConfig(url),
    application_name: "front-row-listen",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: heartbeat.timeout,
  });
  const lost = new AbortController();
  client.on("error", (error) => lost.abort(error));
  client.on("end", () => lost.abort(new Error("The connection has ended")));
  const ended = AbortSignal.any([closing, lost.signal]);
  // Not client.end(), which could wait forever for a dead peer.
  const disconnect = () => client.connection.stream.destroy();
  ended.addEventListener("abort", disconnect);
  const handle = async (call: () => unknown): Promise<boolean> => {
    try {
      await call();
      return true;
    } catch (error) {
      if (describeOutage(error) === null)
        log.error({ err: error }, "Handling a database notification failed");
      else lost.abort(error);
      return false;
    }
  };
  client.on("notification", ({ channel, payload = "" }) => {
    if (!ended.aborted) void handle(() => handlers[channel]?.(payload));
  });
  try {
    await client.connect();
    await prepareSession(client);
    for (const channel of Object.keys(handlers))
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onListening(handle(onConnected));
    for (;;) {
      await pause(heartbeat.interval, undefined, { signal: ended });
      await requireWritable(client);
    }
  } catch (error) {
    if (error instanceof ReadOnlyServerError) onReadOnly?.();
    return lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    disconnect();
  }
}

/** A failover may leave connections to the old primary open. Without writes, nothing else notices it. */
async function requireWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ read_only: boolean }>(selectReadOnly);
  if (rows[0]?.read_only) throw new ReadOnlyServerError();
}
