import pg from "pg";
import { messageOf } from "../lib/error-message.ts";
import { ReadOnlyServerError } from "./connection/session.server.ts";
import { DeadlineExceededError } from "./query/transaction-before.server.ts";

/** From appendix A of PostgreSQL's manual: connections, resources, operator, timeouts, read-only. */
const outageCodes = /^(08|53|57|58|55P03|25P0[34]|25006)/;

const outageMessages =
  /^(Connection terminated|Client (has encountered|was closed)|timeout (exceeded|expired)|Query read timeout|The server does not support SSL|The database has not answered)/;

/** An outage: the database is unavailable, full or too slow. Null for other errors. */
export function describeOutage(error: unknown): string | null {
  return isOutage(error) ? messageOf(error) : null;
}

export function isKnownOutage(error: unknown): boolean {
  return error instanceof DeadlineExceededError || error instanceof ReadOnlyServerError;
}

function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return outageCodes.test(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  if (!(error instanceof Error)) return false;
  return isKnownOutage(error) || "syscall" in error || outageMessages.test(error.message);
}
