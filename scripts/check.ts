import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./setup.mjs";

const badImports = "tests/fixtures/import-rules";

/** Everything about the source that tools can tell: types, lint, format, import rules, dead code, unused dependencies. */
function check(): void {
  step("Route types", "react-router", ["typegen"]);
  step("Types", "tsc", []);
  step("Lint, format, cycles, barrel files", "biome", ["check", "--error-on-warnings", "."]);
  step("Import rules", "depcruise", ["src"]);
  proveThatImportRulesBite();
  step("Dead code, unused dependencies", "knip", []);
  console.log("All checks passed.");
}

function step(name: string, tool: string, args: string[]): void {
  console.log(`${name} …`);
  const { status } = runTool(tool, args, root, "inherit");
  if (status !== 0) fail(`${name}: failed, see above.`);
}

/** Each file of the fixture that imports anything breaks a rule by it: the tools have to refuse every one. */
function proveThatImportRulesBite(): void {
  console.log("Import rules bite …");
  const copy = mkdtempSync(join(tmpdir(), "front-row-import-rules-"));
  try {
    cpSync(join(root, badImports), copy, { recursive: true });
    cpSync(join(root, "biome.json"), join(copy, "biome.json"));
    const report = reportOn(copy);
    const bad = globSync("src/**/*.{ts,tsx}", { cwd: copy }).filter((file) => importsSomething(join(copy, file)));
    const passed = bad.filter((file) => !report.some((line) => refuses(line, file)));
    if (passed.length > 0) fail(`These break an import rule, and nothing said so: ${passed.join(", ")}`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function importsSomething(path: string): boolean {
  return / from "/.test(readFileSync(path, "utf8"));
}

/** What both tools say of the imports in a folder, line by line. */
function reportOn(folder: string): string[] {
  const rules = ["--config", join(root, ".dependency-cruiser.js"), "src"];
  const cruiser = runTool("depcruise", rules, folder, "pipe");
  const biome = runTool("biome", ["lint", "--vcs-enabled=false", "--reporter=github", "src"], folder, "pipe");
  return `${cruiser.stdout}\n${biome.stdout}`.split("\n");
}

function refuses(line: string, file: string): boolean {
  const byCruiser = line.includes("error") && line.includes(`: ${file} →`);
  const byBiome = /noImportCycles|noBarrelFile/.test(line) && line.includes(`/${file},`);
  return byCruiser || byBiome;
}

function runTool(tool: string, args: string[], cwd: string, stdio: "inherit" | "pipe") {
  return spawnSync(join(root, "node_modules/.bin", tool), args, { cwd, stdio, encoding: "utf8" });
}

function fail(line: string): never {
  console.error(line);
  process.exit(1);
}

check();
