import pg from "pg";
import { ConfigError } from "../../config/environment.server.ts";
import { DeadlineExceededError } from "../../database/query/transaction-before.server.ts";
import { DatabaseStartError } from "../../database/startup-error.server.ts";
import { Refusal } from "./command.ts";

/** PostgreSQL's codes for a statement that was cancelled, and one that waited too long for somebody else. */
const notDone = new Set(["57014", "55P03"]);

/** What went wrong, as a line for the operator. @throws the error itself when it is a bug */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseStartError || error instanceof Refusal)
    return error.message;
  const stopped = error instanceof pg.DatabaseError && notDone.has(error.code ?? "");
  if (stopped || error instanceof DeadlineExceededError)
    return `The database did not do it (${error.message}): nothing was changed.`;
  throw error;
}
