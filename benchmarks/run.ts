/*
 * `npm run bench`: measures the product as it runs and writes the figures beside this file. `--growth` adds a database of a hundred times
 * the size; `--quick` only prints rough figures, and so does `--only load,writing` of these parts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ensureBuilt, ensureInstalled, fail, findRuntime } from "../scripts/setup.mjs";
import { tidily } from "../scripts/tidily.ts";
import { spoiledLoads } from "./load/refusals.ts";
import { measure, type Part, parts, type Results } from "./measure.ts";
import { plotResults } from "./plots/plots.ts";
import { writeReadme } from "./readme.ts";
import { reportFigures } from "./report.ts";

const thorough = {
  firstTimes: 3,
  moreTimes: 5,
  // Until then code is compiled and memory taken for the first time, which a page that is rendered paid with a third of its processor time.
  warmUp: 5,
  rounds: 3,
  seconds: 1.5,
  roundsAtHalf: 7,
  secondsAtHalf: 1,
  roundsOfChange: 5,
  secondsOfChange: 4,
  secondsOfRefresh: 22,
  visits: 5,
};
const rough = {
  firstTimes: 1,
  moreTimes: 1,
  warmUp: 0.2,
  rounds: 1,
  seconds: 0.4,
  roundsAtHalf: 1,
  secondsAtHalf: 0.6,
  roundsOfChange: 1,
  secondsOfChange: 1.2,
  secondsOfRefresh: 1.2,
  visits: 1,
};

const { quick, growth, only } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
    only: { type: "string" },
  },
}).values;
const asked = only === undefined ? usualParts() : only.split(",").map(readPart);
if (process.platform !== "linux") fail("The benchmarks read memory and processor time from /proc: they need Linux.");
ensureInstalled();
ensureBuilt(findRuntime());

await tidily(async (running) => {
  const measured = await measure(quick ? rough : thorough, new Set(asked), running);
  console.log(`\n${reportFigures(measured)}`);
  const spoiled = measured.underLoad ? spoiledLoads(measured.underLoad) : [];
  if (spoiled.length > 0) throw new Error(`The machine has too much else to do:\n${spoiled.join("\n")}`);
  if (quick || only !== undefined) return;
  const results = { growth: lastGrowth(), ...measured };
  write("results.json", `${JSON.stringify(results, rounded, 2)}\n`);
  write("README.md", writeReadme(results));
  for (const [name, plot] of Object.entries(plotResults(results))) write(`plots/${name}`, plot);
});

function usualParts(): Part[] {
  return parts.filter((part) => growth || part !== "growth");
}

function readPart(name: string): Part {
  const part = parts.find((known) => known === name);
  if (!part) throw new Error(`--only ${name}: must be some of ${parts.join(", ")}`);
  return part;
}

/** Growth takes long to measure: what the last run that did so found stays. */
function lastGrowth(): Results["growth"] {
  const last: Results = JSON.parse(readFileSync(new URL("results.json", import.meta.url), "utf8"));
  return last.growth;
}

function write(name: string, text: string): void {
  writeFileSync(new URL(name, import.meta.url), text);
}

/** Six digits are more than any of it is good for. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}
