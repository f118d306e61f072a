import { test } from "vitest";

/** `npm test` runs the first rows, one of each kind. `npm run test:soak` runs the others. */
export function testRows<Row extends readonly unknown[]>(always: number, rows: readonly Row[]) {
  return (name: string, run: (...row: Row) => Promise<void> | void): void => {
    test.for(rows.slice(0, always))(name, (row) => run(...row));
    test.for(rows.slice(always))(name, { tags: "soak" }, (row) => run(...row));
  };
}
