// `npm run test:soak`: what `npm test` leaves out: tests/soak, and tests that are tagged `soak`. With a file,
// its tests alone; more arguments are its runner's.
import process from "node:process";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);
const { findChromium } = await import("./chromium.mjs");

const runners = [
  { folder: "tests/soak/", tool: "vitest", args: ["run", "--project=soak"] },
  {
    folder: "tests/integration/",
    tool: "vitest",
    args: ["run", "--project=integration", "--tags-filter=soak"],
  },
];
const [file = "", ...more] = process.argv.slice(2);
const chosen = runners.filter(({ folder }) => !file || file.includes(folder));
if (chosen.length === 0) fail(`${file} is in none of ${runners.map(({ folder }) => folder).join(", ")}.`);

for (const { tool, args } of chosen) {
  const words = [`${root}/node_modules/.bin/${tool}`, ...args, ...(file ? [file, ...more] : [])];
  const code = await run(runtime, words, { CHROMIUM_PATH: await findChromium() });
  process.exitCode ||= code;
}
