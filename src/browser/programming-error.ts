import { errorToast } from "../ui/toasts.ts";

/** Its failures are TypeErrors and SyntaxErrors, as mistakes in our code are. @throws a plain Error */
export function fromNetwork<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw new Error(String(error));
  });
}

/** It is no failure to try again after (docs/product.md §8.12). */
export function rethrowProgrammingError(error: unknown): void {
  if (isProgrammingError(error)) throw error;
}

/** A script that cannot be fetched is a TypeError as well, in which each engine names the module. */
export function isProgrammingError(error: unknown): boolean {
  return /^(Type|Range|Syntax|Reference)Error(?!.*\bmodule\b)/.test(String(error));
}

export const unexpectedError = errorToast("An unexpected error occurred");
