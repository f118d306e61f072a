import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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

/** Links to files or headings that do not exist, and names of such files: `b/a.ts` may be in any folder `b`. */
export function findBrokenReferences(): string[] {
  return documents.flatMap((file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)/g)].filter(
      ([, path = "", heading]) => !hasTarget(path ? join(dirname(file), path) : file, heading),
    );
    const names = [...text.matchAll(/`(?:\.{1,2}\/)*([\w./-]+\.(?:tsx?|mjs|sql|css))`/g)].filter(
      ([, name]) => !sources.some((source) => source.endsWith(`/${name}`)),
    );
    return [...links, ...names].map(([reference]) => `${file} names ${reference}, which does not exist.`);
  });
}

function hasTarget(file: string, heading: string | undefined): boolean {
  if (!existsSync(join(root, file))) return false;
  const headings = heading ? [...read(file).matchAll(/^#+ (.*)$/gm)] : [];
  return !heading || headings.some(([, title = ""]) => anchorOf(title) === heading);
}

/** As GitHub makes it. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- ]/gu, "")
    .replaceAll(" ", "-");

/** Lists of documents that lack a command or a folder, or name commands or tests that do not exist. */
export function findStaleLists(): string[] {
  const commands = Object.keys(JSON.parse(read("package.json")).scripts);
  const text = documents.map(read).join("\n");
  const used = [...text.matchAll(/\bnpm (?:run )?((?<=run )[a-z:]+|start|test\b)/g)].map(
    ([, name = ""]) => name,
  );
  const folders = globSync("src/*", { cwd: root }).map((folder) => basename(folder));
  const [, table = ""] = read("CONTRIBUTING.md").split("### Which tests for which folder");
  const tests = [...table.matchAll(/^\| (?:`src|SQL).*?\|(.*)\|$/gm)].flatMap(([, cells = ""]) =>
    [...cells.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name),
  );
  return [
    ...commands.filter((name) => !used.includes(name)).map((name) => `No document names npm run ${name}.`),
    ...used.filter((name) => !commands.includes(name)).map((name) => `npm run ${name} does not exist.`),
    ...folders
      .filter((name) => !read("docs/architecture.md").includes(`\`${name}\``))
      .map((name) => `src/${name} is not in docs/architecture.md.`),
    ...tests
      .filter((name) => globSync(`tests/*/${name}*.test.ts`, { cwd: root }).length === 0)
      .map((name) => `CONTRIBUTING.md names the tests ${name}, which do not exist.`),
  ];
}
