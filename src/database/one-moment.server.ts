import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { ANSWER_MS, closeWhenDeaf } from "./close-when-deaf.server.ts";
import { type Columns, readCopied } from "./copied-rows.server.ts";

/**
 * Copies what a query, which takes no parameters, answers out of the database: a few rows at a time, as fast as they are looked at. To be
 * read to its end: the connection is given up otherwise.
 */
export type Copy = <Row>(query: string, read: (columns: Columns) => Row) => AsyncIterable<Row[]>;

/** So many bytes are made rows in one go: a thousand small rows at a time would take some ms. */
const MOST_BYTES = 8_192;

/** How long a query may take altogether, and how long it may wait for others' locks, in ms. */
const QUERY_MS = 300_000;
const LOCK_MS = 30_000;

/**
 * Lets `work` copy what is in a database at one moment. It has a connection of its own: what is copied takes longer than anything that the
 * pool's connections are given time for.
 */
export async function inOneMoment<T>(url: string, work: (copy: Copy) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: QUERY_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: LOCK_MS,
    application_name: "front-row-copy",
  });
  client.on("error", () => {}); // whoever waits for an answer hears of it
  try {
    await client.connect();
    closeWhenDeaf(client, ANSWER_MS);
    await client.query("begin isolation level repeatable read read only");
    const result = await work((query, read) => copyOut(client, query, read));
    await client.query("rollback");
    return result;
  } finally {
    client.connection.stream.destroy(); // a goodbye might never be answered
  }
}

async function* copyOut<Row>(client: pg.Client, query: string, read: (columns: Columns) => Row): AsyncGenerator<Row[]> {
  const rowsOf = readCopied(read);
  const received = client.query(copyTo(`copy (${query}) to stdout (format binary)`));
  try {
    for await (const piece of received) {
      for (let start = 0; start < piece.length; start += MOST_BYTES) {
        yield rowsOf(piece.subarray(start, start + MOST_BYTES));
      }
    }
  } finally {
    // Nothing else could be asked for before the rest has come.
    if (!received.readableEnded) client.connection.stream.destroy();
  }
}
