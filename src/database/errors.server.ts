import pg from "pg";
import { messageOf } from "../lib/error-message.ts";
import { DeadlineExceededError } from "./query/transaction-before.server.ts";

/**
 * PostgreSQL's codes (its manual's appendix A) for that: no connection, no room, shut down or cancelled, trouble with its disk; too long
 * a wait for a lock, or in a transaction.
 */
const codes = /^(08|53|57|58|55P03|25P0[34])/;

/** What `pg`, and our own watch over its connections, say without a code. */
const messages =
  /^(Connection terminated|Client (has encountered|was closed)|timeout (exceeded|expired)|The database has not answered)/;

/** Why the database cannot do its work now, where an error says that it is away, full or too slow; null for everything else. */
export function describeOutage(error: unknown): string | null {
  return isOutage(error) ? messageOf(error) : null;
}

function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return codes.test(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  if (!(error instanceof Error)) return false;
  return error instanceof DeadlineExceededError || "syscall" in error || messages.test(error.message);
}
