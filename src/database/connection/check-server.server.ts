import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import { DatabaseStartError } from "../database-start-error.server.ts";

const OLDEST_VERSION = 15;

/** In ms: the timeout of one attempt, and the time after which no further attempt starts. */
interface Timeouts {
  connect: number;
  retry: number;
}

const defaultTimeouts: Timeouts = { connect: 5_000, retry: 7_000 };

/** PostgreSQL's codes that are worth a retry: the server is starting up, or has no connection slot left. */
const transientCodes = new Set(["57P03", "53300"]);

/**
 * Waits until the database server is usable: reachable, PostgreSQL 15 or later, encoded in UTF-8. Retries
 * network errors and transient server errors for about ten seconds.
 * @throws DatabaseStartError; its message names the host, never the password
 */
export async function waitForServer(url: string, log: Logger, timeouts = defaultTimeouts): Promise<void> {
  const server = describeServer(url);
  try {
    const { version, encoding } = await pRetry(() => queryServer(url, timeouts.connect), {
      retries: 4,
      minTimeout: 500,
      maxTimeout: 2_000,
      maxRetryTime: timeouts.retry,
      shouldRetry: ({ error }) => !(error instanceof pg.DatabaseError) || transientCodes.has(error.code ?? ""),
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (attemptNumber === 1 && retriesLeft > 0)
          log.warn({ error: messageOf(error) }, `Waiting for the database at ${server}`);
      },
    });
    if (Number.parseInt(version, 10) < OLDEST_VERSION) {
      throw new DatabaseStartError(
        `The database at ${server} is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed.`,
      );
    }
    if (encoding !== "UTF8") {
      throw new DatabaseStartError(`The database at ${server} is encoded in ${encoding}; it must be UTF8.`);
    }
  } catch (error) {
    if (error instanceof DatabaseStartError) throw error;
    throw new DatabaseStartError(`The database at ${server} cannot be used: ${messageOf(error)}. Check DATABASE_URL.`);
  }
}

/** Whether the database accepts a connection and a query. A single attempt, no retries. */
export async function canConnect(url: string): Promise<boolean> {
  return queryServer(url, defaultTimeouts.connect).then(
    () => true,
    () => false,
  );
}

async function queryServer(url: string, timeout: number): Promise<{ version: string; encoding: string }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  client.on("error", () => {}); // the query rejects as well
  try {
    await client.connect();
    const query = "select current_setting('server_version') as version, current_setting('server_encoding') as encoding";
    const { rows } = await client.query<{ version: string; encoding: string }>(query);
    return rows[0] ?? { version: "?", encoding: "?" };
  } finally {
    await client.end();
  }
}

/** Host, port and database name, without user and password. */
function describeServer(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || "the local socket"}${pathname}`;
}
