/**
 * The message of an error. Node throws an `AggregateError` without a message when every address of a host
 * fails, so its first error is used.
 */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
