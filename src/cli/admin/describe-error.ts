import pg from "pg";
import { ConfigError } from "../../config/config-error.server.ts";
import { DatabaseStartError } from "../../database/database-start-error.server.ts";
import { DeadlineExceededError } from "../../database/query/transaction-before.server.ts";
import { CommandError } from "./command.ts";

/** PostgreSQL's codes for a cancelled statement and for a lock timeout. */
const timeoutCodes = new Set(["57014", "55P03"]);

/** The message of an expected error, as one line for the operator. @throws any other error, which is a bug */
export function describeError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseStartError || error instanceof CommandError)
    return error.message;
  const timedOut = error instanceof pg.DatabaseError && timeoutCodes.has(error.code ?? "");
  if (timedOut || error instanceof DeadlineExceededError)
    return `The database did not do it (${error.message}): nothing was changed.`;
  throw error;
}
