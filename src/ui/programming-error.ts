import type { Toast } from "./toast-store.ts";

/**
 * Awaits the network, whose failures are TypeErrors and SyntaxErrors as well as mistakes in our code are.
 * @throws an Error in place of these
 */
export async function fromNetwork<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isProgrammingError(error) ? new Error(String(error)) : error;
  }
}

/**
 * Throws a mistake in our code, or what this browser lacks, again: it is no failure to try again after
 * (docs/product.md §8.12).
 */
export function rethrowProgrammingError(error: unknown): void {
  if (isProgrammingError(error)) throw error;
}

export function isProgrammingError(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** The toast for it. */
export const unexpectedError: Toast = {
  title: "Error",
  description: "An unexpected error occurred",
  destructive: true,
};
