import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import { DatabaseStartError } from "../startup-error.server.ts";

const OLDEST_VERSION = 15;

/** How long one try may take, and after how long no other one is begun, in ms. */
interface Patience {
  connect: number;
  retry: number;
}

const usualPatience: Patience = { connect: 5_000, retry: 7_000 };

/** A server that is only just starting or has no connection left is worth another try; so is a network that fails. */
const passing = new Set(["57P03", "53300"]);

/**
 * Returns when the database can be used; gives up after about ten seconds.
 * @throws DatabaseStartError that names the host, never the password
 */
export async function requireUsable(url: string, log: Logger, patience = usualPatience): Promise<void> {
  const place = placeOf(url);
  try {
    const { version, encoding } = await pRetry(() => askServer(url, patience.connect), {
      retries: 4,
      minTimeout: 500,
      maxTimeout: 2_000,
      maxRetryTime: patience.retry,
      shouldRetry: ({ error }) => !(error instanceof pg.DatabaseError) || passing.has(error.code ?? ""),
      onFailedAttempt: ({ error, attemptNumber, retriesLeft }) => {
        if (attemptNumber === 1 && retriesLeft > 0)
          log.warn({ error: messageOf(error) }, `Waiting for the database at ${place}`);
      },
    });
    if (Number.parseInt(version, 10) < OLDEST_VERSION) {
      throw new DatabaseStartError(
        `The database at ${place} is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed.`,
      );
    }
    if (encoding !== "UTF8") {
      throw new DatabaseStartError(`The database at ${place} is encoded in ${encoding}; it must be UTF8.`);
    }
  } catch (error) {
    if (error instanceof DatabaseStartError) throw error;
    throw new DatabaseStartError(`The database at ${place} cannot be used: ${messageOf(error)}. Check DATABASE_URL.`);
  }
}

/** Whether a database answers, asked once. */
export async function canConnect(url: string): Promise<boolean> {
  return askServer(url, usualPatience.connect).then(
    () => true,
    () => false,
  );
}

async function askServer(url: string, within: number): Promise<{ version: string; encoding: string }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: within,
    query_timeout: within,
  });
  client.on("error", () => {}); // the query fails too
  try {
    await client.connect();
    const asked = "select current_setting('server_version') as version, current_setting('server_encoding') as encoding";
    const { rows } = await client.query<{ version: string; encoding: string }>(asked);
    return rows[0] ?? { version: "?", encoding: "?" };
  } finally {
    await client.end();
  }
}

/** Host, port and database, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || "the local socket"}${pathname}`;
}
