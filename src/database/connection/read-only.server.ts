import { DatabaseError } from "pg";

/** The SQLSTATE of a write that a read-only server refuses. */
const READ_ONLY_TRANSACTION = "25006";

/** Selects `read_only`: whether the server takes no writes, as a replica or a demoted primary. */
export const selectReadOnly = "select current_setting('transaction_read_only') = 'on' as read_only";

/** The server takes no writes. */
export class ReadOnlyServerError extends Error {
  override name = "ReadOnlyServerError";
  constructor() {
    super("The database is read-only (a replica, or a primary that was demoted)");
  }
}

/** Whether PostgreSQL refused a write because the server is read-only. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY_TRANSACTION;
}
