/** Shown to the operator as one line, without a stack trace. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
