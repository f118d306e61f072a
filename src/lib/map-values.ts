export function mapValues<Name extends string, Value, Result>(
  values: Readonly<Record<Name, Value>>,
  change: (value: Value) => Result,
): Record<Name, Result> {
  const changed = Object.entries<Value>(values).map(([name, value]) => [name, change(value)]);
  return Object.fromEntries(changed) as Record<Name, Result>;
}
