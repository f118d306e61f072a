import { randomUUID } from "node:crypto";
import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { withTimeout } from "../../lib/bounded-wait.ts";
import { messageOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { connectionConfig, describeServer } from "./database-url.server.ts";
import { ReadOnlyServerError, selectReadOnly } from "./session.server.ts";

const OLDEST_VERSION = 15;

/** Of a connect, and of each query. */
const TIMEOUT_MS = 5_000;

/** The server starts, or has no connection left. */
const transientCodes = new Set(["57P03", "53300"]);

/** @throws OperatorError, which never quotes the password */
export async function waitForServer(
  url: string,
  log: Logger,
  timeouts = { connect: TIMEOUT_MS, retry: 7_000 },
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
  return queryServer(url, TIMEOUT_MS).then(
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
function createCheckClient(url: string, timeout: number): pg.Client {
  const client = new pg.Client({
    ...connectionConfig(url),
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    application_name: "front-row-check",
  });
  client.on("error", () => {}); // the query rejects as well
  return client;
}

/** Behind a pooler by transaction, any client may get a notification. @throws OperatorError */
export async function checkSessions(url: string, directUrl: string): Promise<void> {
  const listener = createCheckClient(directUrl, TIMEOUT_MS);
  const sender = createCheckClient(url, TIMEOUT_MS);
  try {
    await Promise.all([listener.connect(), sender.connect()]);
    if (!(await sendNotification(listener, sender))) throw new OperatorError(describeLoss(url, directUrl));
  } finally {
    for (const client of [listener, sender]) client.connection.stream.destroy();
  }
}

function describeLoss(url: string, directUrl: string): string {
  return url === directUrl
    ? `The database at ${describeServer(url)} is behind a pooler that lends connections by transaction, where notifications and locks do not work. Set DATABASE_DIRECT_URL to the address of the database itself, or use the pooler's session mode.`
    : `DATABASE_DIRECT_URL (${describeServer(directUrl)}) does not get the notifications that are sent through DATABASE_URL (${describeServer(url)}): it must lead to the same database, without a pooler or through one in session mode.`;
}

async function sendNotification(listener: pg.Client, sender: pg.Client): Promise<boolean> {
  const channel = `front_row_check_${randomUUID().replaceAll("-", "")}`;
  const { promise: received, resolve } = Promise.withResolvers<boolean>();
  listener.on("notification", (message) => message.channel === channel && resolve(true));
  sender.on("notification", (message) => message.channel === channel && resolve(false));
  await listener.query(`listen ${channel}`);
  // In a transaction, like the site's notifications. A pooler may refuse those.
  // All that notify in the whole cluster wait for each other's commit: longer than a role's own limit may be.
  for (const statement of ["begin", "set local lock_timeout = 0", `notify ${channel}`, "commit"])
    await sender.query(statement);
  return withTimeout(TIMEOUT_MS, received).catch(() => false);
}
