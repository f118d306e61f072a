import { readFileSync, writeFileSync } from "node:fs";
import type { Verdict } from "./goals.ts";

interface Results {
  /** As in 2025-08-31. */
  date: string;
  commit: string;
  machine: string;
  /** How long the run took. */
  minutes: number;
  verdicts: Verdict[];
}

/** The figures of a run as one table in Markdown. */
export function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ row, what, bound, limit, unit, value, met, detail }) => {
    return [
      row,
      what,
      `${bound} ${format(limit, unit)}`,
      format(value, unit),
      met ? "met" : "**missed**",
      detail,
    ];
  });
  const head = ["#", "what", "goal", "measured", "", "in figures"];
  const lines = [head, ["---:", "---", "---:", "---:", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Writes results.json, the plot, and the figures of README.md between their markers. */
export function writeResults(results: Results): void {
  const { date, commit, machine, minutes, verdicts } = results;
  const rounded = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(6)) : value;
  write("results.json", `${JSON.stringify(results, rounded, 2)}\n`);
  write("goals.svg", plot(verdicts));
  const run = `Measured on ${date} at ${commit} in ${minutes.toFixed(0)} minutes.\n${machine}.`;
  const figures = `\n${run}\n\n${table(verdicts)}\n\n![How many times better than its goal each figure is](goals.svg)\n\n`;
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  write(
    "README.md",
    readme.replace(/(?<=<!-- figures -->\n).*(?=<!-- \/figures -->)/s, () => figures),
  );
}

/** Three significant digits are more than a noisy machine gives away. */
function format(value: number, unit: string): string {
  return `${value >= 1000 ? Math.round(value) : Number(value.toPrecision(3))} ${unit}`.trimEnd();
}

function write(name: string, text: string): void {
  writeFileSync(new URL(name, import.meta.url), text);
}

const WIDTH = 840;
const ROW = 22;
const TOP = 44;
/** Where the goal stands, and how far a factor of two is from there. */
const GOAL = 520;
const DOUBLE = 40;

/** Bars on a logarithmic scale. A goal of 0 has no ratio and no bar. */
function plot(verdicts: readonly Verdict[]): string {
  const shown = verdicts.filter(({ limit }) => limit > 0);
  const bars = shown.map((verdict, index) => drawBar(verdict, TOP + index * ROW));
  const height = TOP + bars.length * ROW + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">
<title>How many times better than its goal each figure is</title>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#fbfaf7"/>
<text x="16" y="26" font-size="15">How many times better than its goal each figure is (logarithmic; the line is the goal)</text>
${bars.join("\n")}
<path d="M${GOAL} ${TOP - 4}V${height - 12}" stroke="#1f2328"/>
</svg>
`;
}

function drawBar({ what, bound, limit, value, met }: Verdict, top: number): string {
  const ratio = bound === "≥" ? value / limit : limit / value;
  const shown = Math.min(Math.max(ratio, 0.25), 64);
  const length = Math.round(DOUBLE * Math.log2(shown));
  const left = GOAL + Math.min(0, length);
  return [
    `<text x="${GOAL - 90}" y="${top + 14}" text-anchor="end">${what}</text>`,
    `<rect x="${left}" y="${top + 3}" width="${Math.abs(length) + 1}" height="14" fill="${met ? "#3f7d5c" : "#b42318"}"/>`,
    `<text x="${Math.max(GOAL, GOAL + length) + 6}" y="${top + 14}">${ratio > shown ? "&gt; " : ""}${Number(shown.toPrecision(2))} ×</text>`,
  ].join("");
}
