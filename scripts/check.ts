import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBrokenReferences, findStaleLists, findStalePackages } from "./documents.ts";
import { findStaleLimits } from "./limits.ts";
import { root } from "./setup.mjs";

const badImports = "tests/fixtures/import-rules";

function check(): void {
  step("Types", "tsc", []);
  step("Lint, format, cycles, barrel files", "biome", ["check", "--error-on-warnings", "."]);
  step("Import rules", "depcruise", ["src"]);
  verifyImportRules();
  console.log("Limits in docs/limits.md …");
  const stale = findStaleLimits();
  if (stale.length > 0) fail(stale.join("\n"));
  console.log("Packages in docs/decisions; files, headings, commands and tests that documents name …");
  const outdated = [...findStalePackages(), ...findBrokenReferences(), ...findStaleLists()];
  if (outdated.length > 0) fail(outdated.join("\n"));
  step("Dead code, unused dependencies", "knip", []);
  console.log("All checks passed.");
}

function step(name: string, tool: string, args: string[]): void {
  console.log(`${name} …`);
  const { status } = runTool(tool, args, root, "inherit");
  if (status !== 0) fail(`${name}: failed, see above.`);
}

/** Every import in the fixture breaks a rule: the tools must report every file. */
function verifyImportRules(): void {
  console.log("Import rules bite …");
  const copy = mkdtempSync(join(tmpdir(), "front-row-import-rules-"));
  try {
    cpSync(join(root, badImports), copy, { recursive: true });
    cpSync(join(root, "biome.json"), join(copy, "biome.json"));
    const report = lintImports(copy);
    const bad = globSync("src/**/*.{ts,tsx}", { cwd: copy }).filter((file) => hasImport(join(copy, file)));
    const passed = bad.filter((file) => !report.some((line) => isReported(line, file)));
    if (passed.length > 0) fail(`These break an import rule, and nothing said so: ${passed.join(", ")}`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function hasImport(path: string): boolean {
  return / from "|^import "/m.test(readFileSync(path, "utf8"));
}

function lintImports(folder: string): string[] {
  const rules = ["--config", join(root, ".dependency-cruiser.js"), "src"];
  const cruiser = runTool("depcruise", rules, folder, "pipe");
  const biome = runTool("biome", ["lint", "--vcs-enabled=false", "--reporter=github", "src"], folder, "pipe");
  return `${cruiser.stdout}\n${biome.stdout}`.split("\n");
}

function isReported(line: string, file: string): boolean {
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
