import { expect } from "vitest";

/** Prints a measured value for docs/reliability.md: `figure: <name> = <value> <unit>`. */
export function printFigure(name: string, value: number, unit: string): void {
  console.log(
    `figure: ${name} = ${value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`,
  );
}

interface Bound {
  /** The same time on a quiet server, in this run. */
  quiet: number;
  factor: number;
  /** A time limit of the site itself, equal on every machine. */
  limit?: number;
}

/** Prints both times, in ms. Expects `time` to be at most `limit` plus `factor` times the quiet one. */
export function expectWithin(name: string, time: number, { quiet, factor, limit = 0 }: Bound): void {
  printFigure(`${name}, quiet`, quiet, "ms");
  printFigure(name, time, "ms");
  expect(time, name).toBeLessThanOrEqual(limit + factor * quiet);
}
