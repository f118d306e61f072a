// `npm test`: everything that proves the product, from a bare clone. For a part of it: `npx vitest` or `npx playwright test`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ensureBuilt, ensureInstalled, findRuntime, root, run } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
const { findChromium } = await import("./chromium.mjs");
const chromium = await findChromium();

const reports = mkdtempSync(join(tmpdir(), "front-row-reports-"));
const vitest = await runTests("vitest", ["run", "--reporter=default", "--reporter=json"], countVitest);
const playwright = await runTests("playwright", ["test", "--reporter=list,json"], countPlaywright);
rmSync(reports, { recursive: true, force: true });

const passed = vitest.passed + playwright.passed;
const failed = vitest.failed + playwright.failed;
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs a test runner to its end. One that fails without a failed test to show for it counts as one. */
async function runTests(tool, args, count) {
  const file = join(reports, `${tool}.json`);
  const environment = { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const where = tool === "vitest" ? [`--outputFile.json=${file}`] : [];
  const code = await run(runtime, [join(root, "node_modules/.bin", tool), ...args, ...where], environment);
  const counts = existsSync(file) ? count(JSON.parse(readFileSync(file, "utf8"))) : { passed: 0, failed: 0 };
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function countVitest({ numPassedTests, numFailedTests }) {
  return { passed: numPassedTests, failed: numFailedTests };
}

/** A test that passed only when tried again has failed. */
function countPlaywright({ stats }) {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
}
