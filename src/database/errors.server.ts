import pg from "pg";
import { messageOf } from "../lib/error-message.ts";
import { ReadOnlyServerError } from "./connection/read-only.server.ts";
import { DeadlineExceededError } from "./query/transaction-before.server.ts";

/**
 * PostgreSQL's error codes (appendix A of its manual) that count as an outage: connection exceptions,
 * insufficient resources, operator intervention, system errors, lock timeout, transaction timeouts, and a
 * server that has become read-only.
 */
const outageCodes = /^(08|53|57|58|55P03|25P0[34]|25006)/;

/**
 * Errors without a code, from `pg` and from our response timeout (`connection/pool.server.ts`).
 */
const outageMessages =
  /^(Connection terminated|Client (has encountered|was closed)|timeout (exceeded|expired)|Query read timeout|The server does not support SSL|The database has not answered)/;

/** The error's message if it means that the database is unreachable, full or too slow; else null. */
export function describeOutage(error: unknown): string | null {
  return isOutage(error) ? messageOf(error) : null;
}

/** Whether it is an outage that the site itself has found, whose message says what is wrong. */
export function isKnownOutage(error: unknown): boolean {
  return error instanceof DeadlineExceededError || error instanceof ReadOnlyServerError;
}

function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return outageCodes.test(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  if (!(error instanceof Error)) return false;
  return isKnownOutage(error) || "syscall" in error || outageMessages.test(error.message);
}
