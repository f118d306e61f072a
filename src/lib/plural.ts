/** A count with its noun: `1 review`, `2 reviews`, `0 reviews`. */
export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
