/** An `AggregateError`, when every address of a host fails, has no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Its message alone tells the operator, in one line, what is wrong. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
