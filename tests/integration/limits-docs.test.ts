import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

/** Its line, what a person reads with the figures, the names of constants and fields, and their files. */
type Row = Record<"line" | "text", string> & Record<"names" | "files", string[]>;

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const isFile = (code: string) => /\.(ts|tsx|css|mjs)$/.test(code);

/** The rows of docs/limits.md. The paragraph before a table names the folder, or the file, of its constants. */
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
    if (codes.some((code) => code.startsWith("@"))) continue; // of a package
    const folder = isFile(place) ? join(place, "..") : place;
    const files = codes.filter(isFile).map((file) => join(root, folder, file));
    const names = codes.filter((code) => !isFile(code) && /^[\w.]+$/.test(code));
    const text = `${limit} ${value}`;
    if (names.length > 0)
      rows.push({ line, text, names, files: files.length > 0 ? files : [join(root, place)] });
  }
  return rows;
}

/** What a figure may mean: in ms, seconds, bytes, or as a share. */
const factors = [1, 1_000, 60_000, 3_600_000, 86_400_000, 60, 3_600, 1_024 ** 2, 1e6, 0.01];

test("each limit stands in the file that docs/limits.md names, with its value", () => {
  const wrong: string[] = [];
  for (const { line, text, names, files } of readRows()) {
    const existing = files.filter((file) => existsSync(file) && isFile(file));
    const source = existing.map((file) => readFileSync(file, "utf8")).join("\n");
    for (const name of names) {
      if (!source.includes(name.split(".").at(-1) ?? "")) wrong.push(`${name} is not in its file: ${line}`);
      const [, constant] = new RegExp(`const ${name} = ([\\d_* .]+);`).exec(source) ?? [];
      if (!constant) continue;
      const parts = constant.replaceAll("_", "").split("*");
      const number = parts.reduce((product, part) => product * Number(part), 1);
      const figures = [...text.matchAll(/\d[\d,]*(\.\d+)?/g)].map(([figure]) =>
        Number(figure.replaceAll(",", "")),
      );
      if (/ (a|an|every) [a-z]/.test(text)) figures.push(1);
      if (!figures.some((figure) => factors.some((factor) => Math.abs(figure * factor - number) < 1e-9)))
        wrong.push(`${name} is ${constant}: ${line}`);
    }
  }
  expect(wrong).toEqual([]);
});
