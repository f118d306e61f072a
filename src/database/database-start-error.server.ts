/** The database cannot be used. The message is one line for the operator: print it and exit with 1. */
export class DatabaseStartError extends Error {
  override name = "DatabaseStartError";
}
