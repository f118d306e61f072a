/** Reading JSON that came over the network. Each function returns what it names, or throws a TypeError. */

export function record(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unexpected("an object", value);
  return { ...value };
}

export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unexpected("a list", value);
  return value;
}

export function text(value: unknown): string {
  if (typeof value !== "string") throw unexpected("a text", value);
  return value;
}

export function textOrNull(value: unknown): string | null {
  return value === null ? null : text(value);
}

export function count(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) throw unexpected("a count", value);
  return value;
}

/** What to throw for a value that is something else than it has to be. */
export function unexpected(wanted: string, found: unknown): TypeError {
  return new TypeError(
    `The answer is not what was asked for: ${wanted} was expected, not ${JSON.stringify(found)?.slice(0, 80)}`,
  );
}
