// `npm run test:soak`: what `npm test` leaves out: tests/soak, and tests that are tagged `soak`. With a file,
// its tests alone; more arguments are its runner's.
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { ensureBuilt, ensureInstalled, fail, findRuntime, root, run } from "./setup.mjs";

await ensureInstalled();
const runtime = findRuntime();
ensureBuilt(runtime);

/** Only those: the others would start their servers for no test, and never stop them. */
const integration = `${root}/tests/integration/`;
const filesWithTags = readdirSync(integration).filter((name) =>
  /"soak"|testRows/.test(readFileSync(integration + name, "utf8")),
);
const runners = [
  { folder: "tests/soak/", args: ["--project=soak"], files: [] },
  {
    folder: "tests/integration/",
    args: ["--project=integration", "--tags-filter=soak"],
    files: filesWithTags,
  },
];
const [file = "", ...more] = process.argv.slice(2);
const chosen = runners.filter(({ folder }) => !file || file.includes(folder));
if (chosen.length === 0) fail(`${file} is in none of ${runners.map(({ folder }) => folder).join(", ")}.`);

for (const { args, files } of chosen) {
  const words = [`${root}/node_modules/.bin/vitest`, "run", ...args, ...(file ? [file, ...more] : files)];
  const code = await run(runtime, words);
  process.exitCode ||= code;
}
