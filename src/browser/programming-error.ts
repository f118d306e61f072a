/** Network failures are TypeErrors and SyntaxErrors, like mistakes in our code. @throws a plain Error */
export function fromNetwork<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw new Error(String(error));
  });
}

/** Trying again does not help (docs/product.md §8.12). */
export function rethrowProgrammingError(error: unknown): void {
  if (isProgrammingError(error)) throw error;
}

/** A script that cannot be fetched is a TypeError, too. Each engine names the module in its message. */
export function isProgrammingError(error: unknown): boolean {
  return /^(Type|Range|Syntax|Reference)Error(?!.*\bmodule\b)/.test(String(error));
}
