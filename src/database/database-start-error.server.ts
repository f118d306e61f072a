/** The database cannot be used. The message is one line for the operator: print it and exit with 1. */
export class DatabaseStartError extends Error {
  override name = "DatabaseStartError";
}

/** The database is away since the start, so that nothing may be asked of it yet. */
export class DatabaseAwayError extends Error {
  override name = "DatabaseAwayError";

  constructor() {
    super("The database has been away since the start");
  }
}
