import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { connectionConfig, describeServer } from "./database-url.server.ts";
import { ReadOnlyServerError, selectReadOnly } from "./session.server.ts";

const OLDEST_VERSION = 15;

const CONNECT_TIMEOUT_MS = 5_000;

/** The server starts, or has no connection left. */
const transientCodes = new Set(["57P03", "53300"]);

/** @throws OperatorError, which never quotes the password */
export async function waitForServer(
  url: string,
  log: Logger,
  timeouts = { connect: CONNECT_TIMEOUT_MS, retry: 7_000 },
  setting = "DATABASE_URL",
): Promise<void> {
  const server = describeServer(url);
  try {
    const { version, encoding } = await pRetry(() => queryServer(url, timeouts.connect), {
      retries: 4,
      minTimeout: 500,
      maxTimeout: 2_000,
      maxRetryTime: timeouts.retry,
      shouldRetry: ({ error }) => isTransient(error),
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (attemptNumber !== 1 || retriesLeft === 0 || !isTransient(error)) return;
        log.warn({ error: messageOf(error) }, `Waiting for the database at ${server}`);
      },
    });
    if (Number.parseInt(version, 10) < OLDEST_VERSION)
      throw new Error(`it is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed`);
    if (encoding !== "UTF8") throw new Error(`it is encoded in ${encoding}; it must be UTF8`);
  } catch (error) {
    throw new OperatorError(
      `The database at ${server} cannot be used: ${messageOf(error)}. Check ${setting}.`,
    );
  }
}

export async function canConnect(url: string): Promise<boolean> {
  return queryServer(url, CONNECT_TIMEOUT_MS).then(
    () => true,
    () => false,
  );
}

function isTransient(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || transientCodes.has(error.code ?? "");
}

async function queryServer(url: string, timeout: number) {
  const client = createCheckClient(url, timeout);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; encoding: string; read_only: boolean }>(
      `${selectReadOnly}, current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
    );
    if (rows[0]?.read_only) throw new ReadOnlyServerError();
    return rows[0] ?? { version: "?", encoding: "?" };
  } finally {
    // Not client.end(), which could wait forever for a dead peer.
    client.connection.stream.destroy();
  }
}

/** @param timeout of the connect and of each query, in ms */
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
