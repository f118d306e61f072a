// `npm test`, from a bare clone. For some tests: `npx vitest` or `npx playwright test`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PassThrough } from "node:stream";
import { ensureBuilt, ensureInstalled, findRuntime, root, run } from "./setup.mjs";

await ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
const { findChromium } = await import("./chromium.mjs");
const CHROMIUM_PATH = await findChromium();

/** The thread that draws previews yields to everything of a higher priority: busy tests would stop it. */
setPriority(19);

const reports = mkdtempSync(join(tmpdir(), "front-row-reports-"));
const vitest = await runTests("vitest", [
  "run",
  "--project=unit",
  "--project=integration",
  "--tags-filter=!soak",
  "--reporter=default",
  "--reporter=./scripts/vitest-totals.ts",
]);
// Not at the same time: both want all processors, and what only load makes fail says nothing about the product.
const playwright = await runTests("playwright", ["test", "--reporter=list,json"], readPlaywright);
const results = [vitest, playwright];
rmSync(reports, { recursive: true, force: true });

const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failures = results.flatMap((result) => result.failures);
// Repeated at the end: thousands of lines may follow a failure, and some logs keep only the last ones.
for (const failure of failures) console.log(`\nFailed: ${failure}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Also counts a failure without a failed test, with its last errors. */
async function runTests(tool, args, read = (report) => report) {
  const file = join(reports, `${tool}.json`);
  const environment = { CHROMIUM_PATH, VITEST_TOTALS: file, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  let errors = "";
  const stderr = new PassThrough().on("data", (part) => {
    errors = `${errors}${part}`.slice(-2_000);
  });
  stderr.pipe(process.stderr);
  const words = [join(root, "node_modules/.bin", tool), ...args];
  const code = await run(runtime, words, environment, { stderr });
  const result = existsSync(file)
    ? read(JSON.parse(readFileSync(file, "utf8")))
    : { passed: 0, failures: [] };
  if (code !== 0 && result.failures.length === 0)
    result.failures.push(`${tool} ended with exit code ${code}\n${errors}`);
  return result;
}

/** A flaky test, which passed only on a retry, counts as failed. */
function readPlaywright({ stats, suites, errors: uncaught }) {
  const tests = suites.flatMap(specsOf).flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .map(({ projectName, results }) => {
        const messages = results.flatMap(({ errors }) => errors).map(({ message }) => message);
        return `[${projectName}] ${file} › ${title}\n${messages.join("\n")}`;
      }),
  );
  const failures = [...tests, ...uncaught.map(({ message }) => `outside of tests\n${message}`)];
  return { passed: stats.expected, failures };
}

function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}
