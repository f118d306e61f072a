/*
 * `npm run bench`: measures the product as it runs and writes the figures beside this file; `--quick` only prints rough ones.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled, fail, findRuntime } from "../scripts/setup.mjs";
import { tidily } from "../scripts/tidily.ts";
import { measure } from "./measure.ts";
import { writeReadme } from "./readme.ts";
import { reportFigures } from "./report.ts";

const thorough = { firstTimes: 3, moreTimes: 5, warmUp: 0.8, rounds: 3, seconds: 1.5, secondsAtHalf: 3 };
const rough = { firstTimes: 1, moreTimes: 1, warmUp: 0.3, rounds: 1, seconds: 0.7, secondsAtHalf: 1 };

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
if (process.platform !== "linux") fail("The benchmarks read memory and processor time from /proc: they need Linux.");
ensureInstalled();
ensureBuilt(findRuntime());

await tidily(async (running) => {
  const results = await measure(quick ? rough : thorough, running);
  console.log(`\n${reportFigures(results)}`);
  if (quick) return;
  writeFileSync(new URL("README.md", import.meta.url), writeReadme(results));
  writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, rounded, 2)}\n`);
});

/** Six digits are more than any of it is good for. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}
