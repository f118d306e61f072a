import { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "pino";
import { connectionConfig } from "./database-url.server.ts";
import { isReadOnlyRefusal, prepareSession, ReadOnlyServerError } from "./session.server.ts";

/** Longer than the statement timeout, so that only a dead connection exceeds it. */
const RESPONSE_TIMEOUT_MS = 35_000;

/** Networks may drop idle connections, such as that of a refresh while it fetches. */
const KEEP_ALIVE_MS = 10_000;

interface PoolOptions {
  url: string;
  name: string;
  max: number;
  lostMessage: string;
  log: Logger;
  /** In ms; 0 means no limit. */
  responseTimeout?: number | undefined;
  sharesSessions?: boolean;
}

/** Lost connections are logged once and never end the process. All are closed when the server is read-only. */
export function createPool(options: PoolOptions) {
  const { url, name, max, log, lostMessage, responseTimeout = RESPONSE_TIMEOUT_MS } = options;
  const clients = new Set<pg.PoolClient>();
  let isLost = false;
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 20_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: name,
    async onConnect(client) {
      try {
        await prepareSession(client, options);
        isLost = false;
      } catch (error) {
        // The pool would wait for a dead peer to close the connection.
        if (client instanceof pg.Client) client.connection.stream.destroy();
        throw error;
      }
    },
  });
  const logLost = (error: Error) => {
    if (!isLost && !pool.ending) log.warn({ error: error.message }, lostMessage);
    isLost = true;
  };
  /** Because the server is read-only. */
  const dropConnections = () => {
    logLost(new ReadOnlyServerError());
    for (const client of clients) client.connection.stream.destroy();
  };
  pool.on("error", logLost);
  pool.on("remove", (client) => clients.delete(client));
  pool.on("connect", (client) => {
    clients.add(client);
    // Without a listener, a connection lost between two queries of a transaction would end the process.
    client.on("error", () => {});
    setResponseTimeout(client, responseTimeout);
    client.connection.on("errorMessage", (error: unknown) => {
      if (isReadOnlyRefusal(error)) dropConnections();
    });
  });
  return { pool, dropConnections };
}

/** TCP alone may take 15 minutes to detect a dead peer. */
function setResponseTimeout(client: pg.PoolClient, responseTimeout: number): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(responseTimeout, () => {
    const inFlight = "readyForQuery" in client && client.readyForQuery === false;
    if (inFlight) stream.destroy(new Error(`The database has not answered for ${responseTimeout} ms`));
  });
}
