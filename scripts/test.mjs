// `npm test`: everything that proves the product, from a bare clone. For a part of it: `npx vitest` or `npx playwright test`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { ensureBuilt, ensureInstalled, findRuntime, root, run } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
const { findChromium } = await import("./chromium.mjs");
const chromium = await findChromium();

const reports = mkdtempSync(join(tmpdir(), "front-row-reports-"));
const vitest = await runTests("vitest", ["run", "--reporter=default", "--reporter=./scripts/vitest-totals.ts"]);
const playwright = await runTests("playwright", ["test", "--reporter=list,json"], readPlaywright);
rmSync(reports, { recursive: true, force: true });

const passed = vitest.passed + playwright.passed;
const failures = [...vitest.failures, ...playwright.failures];
// Once more at the end: thousands of lines may have come since, and some only keep the last of them.
for (const failure of failures) console.log(`\nFailed: ${failure}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs a test runner to its end. One that fails without a failed test to show for it counts as one, with its last words. */
async function runTests(tool, args, read = (report) => report) {
  const file = join(reports, `${tool}.json`);
  const environment = { CHROMIUM_PATH: chromium, VITEST_TOTALS: file, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  let said = "";
  const code = await run(runtime, [join(root, "node_modules/.bin", tool), ...args], environment, (part) => {
    said = `${said}${part}`.slice(-2_000);
  });
  await setImmediate(); // what it said last may come a turn after its end
  const result = existsSync(file) ? read(JSON.parse(readFileSync(file, "utf8"))) : { passed: 0, failures: [] };
  if (code !== 0 && result.failures.length === 0) result.failures.push(`${tool} ended with exit code ${code}\n${said}`);
  return result;
}

/** A test that passed only when tried again has failed. */
function readPlaywright({ stats, suites, errors: around }) {
  const tests = suites.flatMap(specsOf).flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ projectName, results }) => {
        const messages = results.flatMap(({ errors }) => errors).map(({ message }) => message);
        return `[${projectName}] ${file} › ${title}\n${messages.join("\n")}`;
      }),
  );
  const failures = [...tests, ...around.map(({ message }) => `outside of tests\n${message}`)];
  return { passed: stats.expected, failures };
}

function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}
