import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { codeOf, messageOf, OperatorError } from "../../lib/error-message.ts";
import { connectionConfig, describeServer, sslModeOf, tlsVariants } from "./database-url.server.ts";
import { ReadOnlyServerError, selectReadOnly } from "./session.server.ts";

const OLDEST_VERSION = 15;

const CONNECT_TIMEOUT_MS = 5_000;

const transientCodes = new Set(["57P03", "53300"]);

/** OpenSSL's and Node's codes of a failed TLS handshake: retries do not help. */
const tlsCodes = /CERT|SELF_SIGNED|^UNABLE_TO_|^ERR_(TLS|SSL|OSSL)|^EPROTO/;

/** Returns the URL with the `sslmode` that works. @throws OperatorError, which never quotes the password */
export async function waitForServer(
  url: string,
  log: Logger,
  timeouts = { connect: CONNECT_TIMEOUT_MS, retry: 7_000 },
  setting = "DATABASE_URL",
): Promise<string> {
  const server = describeServer(url);
  try {
    const { version, encoding, usedUrl } = await pRetry(() => queryVariants(url, timeouts.connect), {
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
    if (Number.parseInt(version, 10) < OLDEST_VERSION) {
      throw new OperatorError(
        `The database at ${server} is PostgreSQL ${version}; at least ${OLDEST_VERSION} is needed.`,
      );
    }
    if (encoding !== "UTF8") {
      throw new OperatorError(`The database at ${server} is encoded in ${encoding}; it must be UTF8.`);
    }
    return usedUrl;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The database at ${server} cannot be used: ${describeProblem(error, url, setting)}`,
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
  if (error instanceof pg.DatabaseError) return transientCodes.has(error.code ?? "");
  if (error instanceof OperatorError) return false;
  return !isTlsError(error) && !isRefusedEncryption(error);
}

function isTlsError(error: unknown): boolean {
  return tlsCodes.test(codeOf(error));
}

function isRefusedEncryption(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code === "28000" && /encryption|SSL/.test(error.message);
  return error instanceof Error && error.message.includes("does not support SSL");
}

function describeProblem(error: unknown, url: string, setting: string): string {
  const message = messageOf(error);
  const demand = `sslmode=${sslModeOf(url)} in ${setting}`;
  if (error instanceof ReadOnlyServerError) return `${message}. ${setting} must lead to the primary.`;
  if (error instanceof pg.DatabaseError && isRefusedEncryption(error))
    return `${message}. It decides by ${demand}: sslmode=require encrypts.`;
  if (isRefusedEncryption(error)) return `it offers no TLS, which ${demand} demands.`;
  if (!isTlsError(error)) return `${message}. Check ${setting}.`;
  if (message.includes("altnames"))
    return `its TLS certificate is for another host, which ${demand} refuses (${message}).`;
  return `its TLS certificate is not trusted, which ${demand} demands (${message}). Add sslrootcert=/path/to/authority.pem there.`;
}

interface ServerState {
  version: string;
  encoding: string;
  read_only: boolean;
}

async function queryVariants(url: string, timeout: number): Promise<ServerState & { usedUrl: string }> {
  const [first = url, second] = tlsVariants(url);
  const query = async (usedUrl: string) => ({ ...(await queryServer(usedUrl, timeout)), usedUrl });
  const state = await query(first).catch((error: unknown) => {
    if (!second || !isRefusedEncryption(error)) throw error;
    return query(second);
  });
  if (state.read_only) throw new ReadOnlyServerError();
  return state;
}

async function queryServer(url: string, timeout: number): Promise<ServerState> {
  const { enableChannelBinding } = connectionConfig(url);
  const client = createCheckClient(url, timeout);
  let mechanisms: readonly string[] = [];
  client.connection.once("authenticationSASL", (message) => {
    mechanisms = message.mechanisms;
  });
  try {
    await client.connect();
    if (enableChannelBinding && !mechanisms.includes("SCRAM-SHA-256-PLUS")) {
      throw new OperatorError(
        `The database at ${describeServer(url)} offers no channel binding, which channel_binding=require demands: it needs TLS, and scram-sha-256 as its method.`,
      );
    }
    const { rows } = await client.query<ServerState>(
      `${selectReadOnly}, current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
    );
    return rows[0] ?? { version: "?", encoding: "?", read_only: false };
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
