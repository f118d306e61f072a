/*
 * `npm run bench`: measures the goals on the product as `npm start` runs it, and writes the figures beside
 * this file. Exit code 1 where a goal is missed. `--quick` is a smoke run of two minutes that judges and
 * writes nothing.
 */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findServer, residentMemory } from "../dev/harness/processes.ts";
import { readProgramme } from "../dev/harness/programme.ts";
import { inventReviewers, liftLimits } from "../dev/harness/reviewers.ts";
import { runWithCleanup } from "../scripts/run-with-cleanup.ts";
import { startSite, temporaryDataDir } from "../scripts/running-site.ts";
import { ensureInstalled, fail } from "../scripts/setup.mjs";
import { fillReviews, growShows, openData } from "./data.ts";
import { judge } from "./goals.ts";
import { median } from "./load.ts";
import { measureChange } from "./measure-change.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measurePhone } from "./measure-phone.ts";
import { measureReads } from "./measure-reads.ts";
import { measureWrites } from "./measure-writes.ts";
import { table, writeResults } from "./report.ts";

const thorough = {
  effort: { rounds: 3, warmUp: 3, seconds: 2 },
  starts: 3,
  visits: 3,
  secondsOfChange: 15,
  usual: { shows: 3_893, reviews: 100_000 },
  grown: { shows: 39_000, reviews: 1_000_000 },
};
const rough: typeof thorough = {
  effort: { rounds: 1, warmUp: 0.5, seconds: 0.5 },
  starts: 1,
  visits: 1,
  secondsOfChange: 2,
  usual: { shows: 3_893, reviews: 30_000 },
  grown: { shows: 8_000, reviews: 100_000 },
};

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
if (process.platform !== "linux")
  fail("The benchmarks read memory and CPU time from /proc: they need Linux.");
ensureInstalled(import.meta.dirname);
await runWithCleanup(async (running) => {
  const { parts, machine } = await measure(quick ? rough : thorough, running);
  const verdicts = judge(parts);
  console.log(`\n${table(verdicts)}`);
  if (quick) return;
  if (verdicts.some(({ met }) => !met)) process.exitCode = 1;
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const minutes = performance.now() / 60_000;
  writeResults({ date: new Date().toISOString().slice(0, 10), commit, machine, minutes, verdicts });
});

/** Measures one thing after the other. */
async function measure(plan: typeof thorough, running: AsyncDisposableStack) {
  say("Data");
  const [dataDir, grownDir] = [await temporaryDataDir(running), await temporaryDataDir(running)];
  const { stop } = await startSite(dataDir, running);
  await stop();
  // The embedded database belongs to another user where this is root.
  execFileSync("cp", ["--archive", `${dataDir}/.`, grownDir]);
  await fill(dataDir, plan.usual);
  await fill(grownDir, plan.grown);

  say("Starting");
  const { product, start } = await measureStart(dataDir, plan.starts, running);

  say("Phone");
  const { chromium, ...phone } = await measurePhone(product.origin, plan.visits, running);

  say("Reads");
  const { url: databaseUrl, pool, db } = await openData(dataDir, running);
  const programme = await readProgramme(product.origin);
  const reads = await measureReads(product, { programme, databaseUrl }, plan.effort, running);

  say("Writes");
  const reviewers = await inventReviewers(db, `http://localhost:${new URL(product.origin).port}`, 1_000);
  await liftLimits(db);
  const { texts, pages } = programme;
  const reviews = { reviewers, showIds: pages.flat().slice(0, 2_000) };
  const writes = await measureWrites(product, { databaseUrl, ...reviews }, plan.effort);

  say("Reads while reviews come in and the shows are refreshed");
  const change = await measureChange(product, { pool, texts, seconds: plan.secondsOfChange, ...reviews });

  say("Ten times the data");
  const growth = await measureGrowth(product, { dataDir: grownDir, texts }, plan.effort, running);

  const { rows } = await pool.query<{ version: string }>("select split_part(version(), ' ', 2) as version");
  return {
    parts: [start, phone, reads, writes, change, growth],
    machine: `${describeMachine()}, PostgreSQL ${rows[0]?.version}, Chromium ${chromium}`,
  };
}

async function fill(dataDir: string, { shows, reviews }: { shows: number; reviews: number }): Promise<void> {
  await using running = new AsyncDisposableStack();
  const { pool } = await openData(dataDir, running);
  await growShows(pool, shows);
  await fillReviews(pool, reviews);
}

/** Goal 7. The last start is left running. */
async function measureStart(dataDir: string, starts: number, running: AsyncDisposableStack) {
  const seconds: number[] = [];
  for (;;) {
    const { origin, pid, startedIn, stop } = await startSite(dataDir, running);
    seconds.push(startedIn / 1000);
    if (seconds.length < starts) {
      await stop();
      continue;
    }
    const product = { origin, pid: findServer(pid) };
    await delay(2_000);
    return {
      product,
      start: { values: { secondStart: median(seconds), memory: residentMemory(product.pid, "now") } },
    };
  }
}

function describeMachine(): string {
  const hardware = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${hardware}, Linux ${release().split("-")[0]}, Node ${process.versions.node}`;
}

function say(what: string): void {
  console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${what} …`);
}
