/** The first column holds texts, the others figures. */
type Row = [string, ...string[]];

/** A Markdown table with aligned columns, so that it also reads well as plain text. */
export function markdownTable(head: Row, rows: Row[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)));
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [writeRow(head, widths), writeRow(rule, widths), ...rows.map((row) => writeRow(row, widths))].join("\n");
}

function writeRow(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return column === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  return `| ${padded.join(" | ")} |`;
}
