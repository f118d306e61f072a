/** Prints a measured value for docs/reliability.md: `figure: <name> = <value> <unit>`. */
export function printFigure(name: string, value: number, unit: string): void {
  console.log(
    `figure: ${name} = ${value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 })} ${unit}`,
  );
}
