import { Socket } from "node:net";
import type { Client, PoolClient } from "pg";

/** Longer than any statement of the pool's, in ms: what has not been answered by then never will be, whatever TCP believes. */
export const ANSWER_MS = 35_000;

/** Closes a connection on which a query is not answered for so many ms: TCP may take a quarter of an hour to notice that nobody is there. */
export function closeWhenDeaf(client: Client | PoolClient, answerWithin: number): void {
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(answerWithin, () => {
    const waiting = "readyForQuery" in client && client.readyForQuery === false;
    if (waiting) stream.destroy(new Error(`The database has not answered for ${answerWithin} ms`));
  });
}
