import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findBrokenReferences, findStaleLists, findStalePackages } from "./documents.ts";
import { root } from "./setup.mjs";

function check(): void {
  step("Types", "tsc", []);
  step("Lint, format, import rules", "biome", ["check", "--error-on-warnings", "."]);
  console.log("Packages in docs/decisions; files, headings, commands and tests that documents name …");
  const outdated = [...findStalePackages(), ...findBrokenReferences(), ...findStaleLists()];
  if (outdated.length > 0) fail(outdated.join("\n"));
  step("Dead code, unused dependencies", "knip", []);
  console.log("All checks passed.");
}

function step(name: string, tool: string, args: string[]): void {
  console.log(`${name} …`);
  const { status } = spawnSync(join(root, "node_modules/.bin", tool), args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`${name}: failed, see above.`);
}

function fail(line: string): never {
  console.error(line);
  process.exit(1);
}

check();
