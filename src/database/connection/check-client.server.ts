import pg from "pg";
import { connectionConfig } from "./database-url.server.ts";

/** For one check at the start. @param timeout for connecting, and for each query, in ms */
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
