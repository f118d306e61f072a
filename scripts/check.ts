import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./setup.mjs";

const badImports = "tests/fixtures/import-rules";

/** Everything about the source that tools can tell: types, lint, format, import rules, dead code, unused dependencies. */
function check(): void {
  step("Route types", "react-router", ["typegen"]);
  step("Types", "tsc", []);
  step("Lint, format, import rules", "biome", ["check", "--error-on-warnings", "."]);
  proveThatImportRulesBite();
  step("Dead code, unused dependencies", "knip", []);
  console.log("All checks passed.");
}

function step(name: string, tool: string, args: string[]): void {
  console.log(`${name} …`);
  const { status } = runTool(tool, args, root, "inherit");
  if (status !== 0) fail(`${name}: failed, see above.`);
}

/** Each file of the fixture breaks one import rule where it stands; the linter has to refuse every one of them. */
function proveThatImportRulesBite(): void {
  console.log("Import rules bite …");
  const copy = mkdtempSync(join(tmpdir(), "front-row-import-rules-"));
  try {
    cpSync(join(root, badImports), copy, { recursive: true });
    cpSync(join(root, "biome.json"), join(copy, "biome.json"));
    const { stdout } = runTool("biome", ["lint", "--vcs-enabled=false", "--reporter=github", "src"], copy, "pipe");
    const passed = globSync("src/**/*.{ts,tsx}", { cwd: copy }).filter((file) => !refused(stdout, file));
    if (passed.length > 0) fail(`These break an import rule, and nothing said so: ${passed.join(", ")}`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function refused(report: string, file: string): boolean {
  const rules = /noRestrictedImports|noImportCycles|noBarrelFile/;
  return report.split("\n").some((line) => rules.test(line) && line.includes(`${file},`));
}

function runTool(tool: string, args: string[], cwd: string, stdio: "inherit" | "pipe") {
  return spawnSync(join(root, "node_modules/.bin", tool), args, { cwd, stdio, encoding: "utf8" });
}

function fail(line: string): never {
  console.error(line);
  process.exit(1);
}

check();
