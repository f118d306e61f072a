import { Socket } from "node:net";
import type { Client, PoolClient } from "pg";

/** In ms. Longer than the pool's statement timeout, so only a dead connection can exceed it. */
export const RESPONSE_TIMEOUT_MS = 35_000;

/**
 * Destroys a connection when a query on it gets no response for `responseTimeout` ms; 0 disables this. TCP
 * alone may take 15 minutes to detect a dead peer.
 */
export function setResponseTimeout(client: Client | PoolClient, responseTimeout: number): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(responseTimeout, () => {
    const inFlight = "readyForQuery" in client && client.readyForQuery === false;
    if (inFlight) stream.destroy(new Error(`The database has not answered for ${responseTimeout} ms`));
  });
}
