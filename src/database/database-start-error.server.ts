/** The message is one line for the operator. */
export class DatabaseStartError extends Error {
  override name = "DatabaseStartError";
}
