import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

interface Row {
  line: string;
  /** The text with the figures. */
  text: string;
  /** Names of constants and fields. */
  names: string[];
  files: string[];
}

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const isFile = (code: string) => /\.(ts|tsx|css|mjs)$/.test(code);

/** The rows of docs/limits.md. The paragraph before a table names the folder or file of its constants. */
function readRows(): Row[] {
  const rows: Row[] = [];
  let place = "";
  for (const line of readFileSync(join(root, "docs/limits.md"), "utf8").split("\n")) {
    if (/^#/.test(line)) place = "";
    if (!line.startsWith("|")) {
      const [named, below] = codeIn(line).filter((code) => /^src(\/|$)/.test(code) || isFile(code));
      if (named) place = below ? join(named, below) : named;
      continue;
    }
    const [, limit = "", value = "", ...others] = line.split("|").map((cell) => cell.trim());
    const codes = codeIn(others.join(" "));
    if (codes.some((code) => code.startsWith("@"))) continue; // a constant of a package
    const folder = isFile(place) ? join(place, "..") : place;
    const files = codes.filter(isFile).map((file) => join(folder, file));
    const names = codes.filter((code) => !isFile(code) && /^[\w.]+$/.test(code));
    if (names.length > 0)
      rows.push({ line, text: `${limit} ${value}`, names, files: files.length > 0 ? files : [place] });
  }
  return rows;
}

/** Units of a figure: ms, seconds, bytes or a share. */
const factors = [1, 1_000, 60_000, 3_600_000, 86_400_000, 60, 3_600, 1_024 ** 2, 1e6, 0.01];

const numbers = /^(?:export )?const ([A-Z]\w*) = ([\d_* .]+);/gm;

/** Without numbers of layouts and formats, and without units. */
const isLimit = (name: string) =>
  /^MAX_|_(MS|SECONDS|MINUTES|HOURS|DAYS|YEARS)$|TIMEOUT|INTERVAL|LIMIT|ATTEMPTS/.test(name) &&
  !/^(WEEK|YEAR)_/.test(name);

/** Wrong rows of docs/limits.md, and limits of `src` that it lacks. */
export function findStaleLimits(): string[] {
  const rows = readRows();
  const stale = rows.flatMap(({ line, text, names, files }) => {
    const existing = files.filter((file) => isFile(file) && existsSync(join(root, file)));
    const source = existing.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
    const constants = new Map(
      [...source.matchAll(numbers)].map(([, name = "", value = ""]) => [name, value]),
    );
    return names.flatMap((name) => {
      const last = name.split(".").at(-1) ?? "";
      if (!new RegExp(`(?<!\\w)${last}(?!\\w)`).test(source)) return `${name} is not in its file: ${line}`;
      const constant = constants.get(name);
      return constant === undefined || isSaid(text, constant) ? [] : `${name} is ${constant}: ${line}`;
    });
  });
  const missing = globSync("src/**/*.{ts,tsx}", {
    cwd: root,
    exclude: (file) => /\.test\.tsx?$/.test(file),
  }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(numbers)]
      .filter(([, name = ""]) => isLimit(name))
      .filter(
        ([, name = ""]) => !rows.some(({ names, files }) => names.includes(name) && files.includes(file)),
      )
      .map(([, name]) => `${name} of ${file} has no row in docs/limits.md.`),
  );
  return [...stale, ...missing];
}

/** Whether a figure of a row is the value of a constant, in any unit. */
function isSaid(text: string, constant: string): boolean {
  const parts = constant.replaceAll("_", "").split("*");
  const number = parts.reduce((product, part) => product * Number(part), 1);
  const figures = [...text.matchAll(/\d[\d,]*(\.\d+)?/g)].map(([figure]) =>
    Number(figure.replaceAll(",", "")),
  );
  if (/ (a|an|every) [a-z]/.test(text)) figures.push(1);
  return figures.some((figure) => factors.some((factor) => Math.abs(figure * factor - number) < 1e-9));
}
