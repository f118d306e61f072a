/** What an error says. Trying all addresses of a host fails with an error that has no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
