import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./setup.mjs";

const read = (file: string) => readFileSync(join(root, file), "utf8");

const decisions = "docs/decisions/README.md";

/** Packages without a row in the table of dependencies, and rows without a package. `*` stands for any text. */
export function findStalePackages(): string[] {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const section =
    read(decisions)
      .split(/^## /m)
      .find((part) => part.startsWith("Dependencies")) ?? "";
  const cells = [...section.matchAll(/^\|([^|]*`[^|]*)\|/gm)].map(([, cell = ""]) => cell);
  const rows = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  const isIn = (name: string, row: string) => new RegExp(`^${row.replaceAll("*", ".*")}$`).test(name);
  return [
    ...packages
      .filter((name) => !rows.some((row) => isIn(name, row)))
      .map((name) => `${name} has no row in ${decisions}: say why it is there, and instead of what.`),
    ...rows
      .filter((row) => !packages.some((name) => isIn(name, row)))
      .map((row) => `${row} has a row in ${decisions}, but is no package any more.`),
  ];
}

const folders = "{src,dev,tests,scripts,benchmarks}/**/*";
const sources = globSync([folders, "*.ts"], { cwd: root }).map((file) => `/${file}`);
const documents = globSync(["*.md", "docs/**/*.md", "benchmarks/*.md"], { cwd: root });

/** Links to files that do not exist, and names of such files: `a.ts` may be in any folder, `b/a.ts` in any `b`. */
export function findBrokenReferences(): string[] {
  return documents.flatMap((file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\(([^)#\s]+)(#[^)\s]*)?\)/g)].map(([, link = ""]) => link);
    const names = [...text.matchAll(/`(?:\.{1,2}\/)*([\w./-]+\.(?:tsx?|mjs|sql|css))`/g)].map(
      ([, name = ""]) => name,
    );
    return [
      ...links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(file), link))),
      ...names.filter((name) => !sources.some((source) => source.endsWith(`/${name}`))),
    ].map((reference) => `${file} names ${reference}, which does not exist.`);
  });
}
