/*
 * `npm run bench`: measures the goals on the product as `npm start` runs it, and writes the figures into the
 * README beside this file. Exit code 1 where a goal is missed. Arguments name single parts; then nothing is
 * written.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { findServer } from "../dev/harness/processes.ts";
import { readProgramme } from "../dev/harness/programme.ts";
import { inventReviewers, liftLimits } from "../dev/harness/reviewers.ts";
import { startSite, temporaryDataDir } from "../dev/harness/running-site.ts";
import { runWithCleanup } from "../scripts/run-with-cleanup.ts";
import { ensureInstalled, fail } from "../scripts/setup.mjs";
import { fillReviews, growShows, openData } from "./data.ts";
import { type Figures, judge } from "./goals.ts";
import { measureChange } from "./measure-change.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measureSavedList } from "./measure-offline.ts";
import { measurePhone } from "./measure-phone.ts";
import { measureReads } from "./measure-reads.ts";
import { measureStart } from "./measure-start.ts";
import { measureWrites } from "./measure-writes.ts";

const effort = { rounds: 5, warmUp: 3, seconds: 1.5 };
/** How often a start, and a visit of a phone, is measured. */
const repeats = 3;

/** Each measures some goals on a data folder, with processes of its own. */
const parts: Record<string, (dataDir: string, running: AsyncDisposableStack) => Promise<Figures>> = {
  reads: async (dataDir, running) => {
    const { product, programme, url: databaseUrl } = await startProduct(dataDir, running);
    return measureReads(product, { programme, databaseUrl }, effort, running);
  },
  async writes(dataDir, running) {
    const { product, programme, url: databaseUrl, pool, db } = await startProduct(dataDir, running);
    const reviewers = await inventReviewers(db, `http://localhost:${new URL(product.origin).port}`, 1_000);
    await liftLimits(db);
    const reviews = { reviewers, showIds: programme.pages.flat().slice(0, 2_000) };
    const writes = await measureWrites(product, { databaseUrl, ...reviews }, effort);
    return {
      ...writes,
      ...(await measureChange(product, { pool, texts: programme.texts, ...reviews }, effort)),
    };
  },
  start: (dataDir, running) => measureStart(dataDir, repeats, running),
  async growth(dataDir, running) {
    const grownDir = await prepareData(39_000, 1_000_000, running);
    return measureGrowth(dataDir, grownDir, effort, running);
  },
  async phone(dataDir, running) {
    const { origin } = await startSite(dataDir, running);
    return measurePhone(origin, repeats, running);
  },
  async saved(dataDir, running) {
    const { origin } = await startSite(dataDir, running);
    return measureSavedList(origin, repeats, running);
  },
};

const asked = parseArgs({ allowPositionals: true }).positionals;
const unknown = asked.find((name) => !(name in parts));
if (unknown)
  fail(`There is no part ${unknown}: name some of ${Object.keys(parts).join(", ")}, or none for all.`);
if (process.platform !== "linux")
  fail("The benchmarks read memory and CPU time from /proc: they need Linux.");
await ensureInstalled(import.meta.dirname);

await runWithCleanup(async (running) => {
  say("data");
  const dataDir = await prepareData(3_893, 100_000, running);
  const figures: Figures = {};
  for (const [name, measure] of Object.entries(parts)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    say(name);
    const ownProcesses = running.use(new AsyncDisposableStack());
    Object.assign(figures, await measure(dataDir, ownProcesses));
    await ownProcesses.disposeAsync();
  }
  const { table, allMet } = judge(figures);
  console.log(`\n${table}`);
  if (!allMet) process.exitCode = 1;
  if (asked.length === 0) writeFigures(table);
});

/** The data folder of a demo that has so much. */
async function prepareData(shows: number, reviews: number, running: AsyncDisposableStack): Promise<string> {
  const dataDir = await temporaryDataDir(running);
  await (await startSite(dataDir, running)).stop();
  await using connected = new AsyncDisposableStack();
  const { pool } = await openData(dataDir, connected);
  await growShows(pool, shows);
  await fillReviews(pool, reviews);
  return dataDir;
}

async function startProduct(dataDir: string, running: AsyncDisposableStack) {
  const { origin, pid } = await startSite(dataDir, running);
  const product = { origin, pid: findServer(pid) };
  return { product, programme: await readProgramme(origin), ...(await openData(dataDir, running)) };
}

/** Replaces the figures in the README between their markers. */
function writeFigures(table: string): void {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const minutes = (performance.now() / 60_000).toFixed(0);
  const hardware = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const run = `Measured on ${date} at ${git("rev-parse", "--short", "HEAD")} in ${minutes} minutes.
${hardware}, Linux ${release().split("-")[0]}, Node ${process.versions.node}.`;
  const path = new URL("README.md", import.meta.url);
  const figures = /(?<=<!-- figures -->\n).*(?=<!-- \/figures -->)/s;
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(figures, () => `\n${run}\n\n${table}\n\n`),
  );
}

function say(part: string): void {
  console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${part} …`);
}
