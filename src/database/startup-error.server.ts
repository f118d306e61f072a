/** The database cannot be used. The message is one line for the person who starts the program; print it and exit with 1. */
export class DatabaseStartError extends Error {
  override name = "DatabaseStartError";
}
