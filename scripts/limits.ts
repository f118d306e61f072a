import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

interface Row {
  line: string;
  /** The limit and its value, as the document states them. */
  text: string;
  value: string;
  names: string[];
  files: string[];
}

const page = "docs/limits.md";
const read = (file: string) => readFileSync(join(root, file), "utf8");
const codeIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

function readRows(): Row[] {
  const rows = [...read(page).matchAll(/^\| (.*?) \| (.*?) \| (`.*?) \| (`.*?) \|$/gm)];
  return rows.map(([line, limit, value = "", names = "", files = ""]) => ({
    line,
    text: `${limit} ${value}`,
    value,
    names: codeIn(names),
    files: codeIn(files).map((file) => `src/${file}`),
  }));
}

const constants = /^(?:export )?const ([A-Z]\w*) = ([\d_* .]+);/gm;

/** Bounds, and times in seconds or longer units. */
const isLimit = (name: string) =>
  /^MAX_|TIMEOUT|LIMIT|ATTEMPTS|_(SECONDS|MINUTES|HOURS|DAYS|YEARS)$/.test(name);

/** Wrong rows of docs/limits.md, and limits of `src` without a row. */
export function findStaleLimits(): string[] {
  const rows = readRows();
  const stale = rows.flatMap(({ line, text, value, names, files }) => {
    const source = files.map(read).join("\n");
    const copies = files.filter((file) => file.endsWith(".sql"));
    return [
      ...names.filter((name) => !isRight(name, source, text)),
      ...copies.filter((file) => !figuresOf(value).every((figure) => hasCopy(read(file), figure))),
    ].map((wrong) => `${wrong} has another value: ${line}`);
  });
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: root, exclude: (file) => /\.test\./.test(file) });
  const missing = sources.flatMap((file) =>
    [...read(file).matchAll(constants)]
      .map(([, name = ""]) => name)
      .filter(
        (name) => isLimit(name) && !rows.some((row) => row.names.includes(name) && row.files.includes(file)),
      )
      .map((name) => `${name} of ${file} has no row in ${page}.`),
  );
  return [...stale, ...missing];
}

/** The text must state all numbers of a constant or field; for other names, one of the numbers after the name. */
function isRight(name: string, source: string, text: string): boolean {
  const declared = source.matchAll(
    new RegExp(`^(?:export const|const)? *${name}(?:: | = )(.*?)(?: //|$)`, "gm"),
  );
  const inLine = [...declared].flatMap(([, line = ""]) => numbersIn(line));
  if (inLine.length > 0) return inLine.every((number) => isSaid(text, number));
  const places = source.matchAll(new RegExp(`(?<!\\w)${name}(?!\\w)([^]{0,150})`, "g"));
  return [...places].flatMap(([, after = ""]) => numbersIn(after)).some((number) => isSaid(text, number));
}

function numbersIn(source: string): number[] {
  return (source.match(/(?<![\w.])\d[\d_.]*( \* \d[\d_]*)*/g) ?? []).map(multiply);
}

function multiply(factors: string): number {
  return factors
    .replaceAll("_", "")
    .split("*")
    .reduce((product, factor) => product * Number(factor), 1);
}

/** Units of a figure: ms, seconds, bytes or a share. */
const units = [1, 1_000, 60_000, 3_600_000, 86_400_000, 60, 3_600, 1_024 ** 2, 1e6, 0.01];

const figuresOf = (text: string) =>
  (text.match(/(?<![\w-])\d[\d,]*(\.\d+)?/g) ?? []).map((figure) => Number(figure.replaceAll(",", "")));

/** Whether the SQL has the figure, in a check or as an interval. */
const hasCopy = (sql: string, figure: number) => new RegExp(`(?:<= |interval ')${figure}\\b`).test(sql);

function isSaid(text: string, value: number): boolean {
  const figures = figuresOf(text);
  if (/ (a|an|every) [a-z]/.test(text)) figures.push(1);
  return figures.some((figure) => units.some((unit) => Math.abs(figure * unit - value) < 1e-9));
}
