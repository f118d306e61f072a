import type { PoolClient, QueryResult } from "pg";

/**
 * Asks on a connection, for what is asked with every review. `pg`'s own promises have each query store a function that is written where it
 * is stored. V8 takes such a function for one that stays, and puts it into old memory: all that the query had to do with was kept
 * there as well, until all memory was looked at. Rejects with the same errors as those promises do.
 */
export function ask(connection: PoolClient, statement: string): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error, result) => (error ? reject(error) : resolve(result)));
  });
}
