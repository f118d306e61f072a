import { DatabaseError } from "pg";

const READ_ONLY_TRANSACTION = "25006";

/** Also true of a demoted primary. */
export const selectReadOnly = "select current_setting('transaction_read_only') = 'on' as read_only";

export class ReadOnlyServerError extends Error {
  override name = "ReadOnlyServerError";
  constructor() {
    super("The database is read-only (a replica, or a primary that was demoted)");
  }
}

export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY_TRANSACTION;
}
