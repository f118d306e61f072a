import pg from "pg";
import { connectionConfig } from "./database-url.server.ts";

/**
 * Creates a client for one check at the start. Its queries reject when the connection is lost.
 * @param timeout for connecting, and for each query, in ms
 */
export function createCheckClient(url: string, timeout: number): pg.Client {
  const client = new pg.Client({
    ...connectionConfig(url),
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    application_name: "front-row-check",
  });
  client.on("error", () => {}); // the query rejects as well
  return client;
}
