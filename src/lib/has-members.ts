export function hasMembers<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Record<Name, unknown> {
  return typeof value === "object" && value !== null && names.every((name) => name in value);
}
