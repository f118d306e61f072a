import { startSite, temporaryDataDir } from "../scripts/running-site.ts";
import { milliseconds, percent, rate, seconds } from "./figures.ts";
import { type FirstLoad, measureFirstLoad } from "./first-load.ts";
import type { Comparison, Effort } from "./load/compare.ts";
import type { HalfLoad } from "./load/half-load.ts";
import { measureUnderLoad, type UnderLoad } from "./load/measure.ts";
import { describeMachine, type Machine } from "./machine.ts";
import { type Memory, watchMemory } from "./memory.ts";
import { findServer } from "./processes.ts";
import { measureReviewing, type Reviewing } from "./reviewing.ts";
import { measureStarting, type Starting, type Times } from "./starting.ts";

/** Everything that one run measured. */
export interface Results {
  /** The day, as in 2025-08-31. */
  date: string;
  machine: Machine;
  starting: Starting;
  firstLoad: FirstLoad;
  underLoad: UnderLoad;
  reviewing: Reviewing;
  memory: Memory;
}

/** Measures everything, one thing after the other, and says how far it is. */
export async function measure(effort: Effort & Times, running: AsyncDisposableStack): Promise<Results> {
  const date = new Date().toISOString().slice(0, 10);
  const dataDir = await temporaryDataDir(running);
  const machine = await describeMachine(dataDir);

  console.log("Starting and stopping …");
  const starting = await measureStarting(dataDir, effort, running);
  console.log(`  first ${seconds(starting.first)}, again ${seconds(starting.again)}, stop ${seconds(starting.stop)}`);
  const site = await startSite(dataDir, running);
  const server = findServer(site.pid);
  const memory = await watchMemory(server);

  console.log("First load in a browser …");
  const firstLoad = await measureFirstLoad(site.origin, running);
  console.log("Under load …");
  const underLoad = await measureUnderLoad({ origin: site.origin, pid: server }, effort, running, tell);
  const used = memory();
  console.log("Reviewing …");
  const reviewing = await measureReviewing({ origin: site.origin, dataDir }, effort.secondsAtHalf, running);
  console.log(
    `  ${rate(reviewing.writesPerSecond)} reviews/s, shown elsewhere after ${milliseconds(reviewing.shownAfter.p50)} ms`,
  );
  return { date, machine, starting, firstLoad, underLoad, reviewing, memory: used };
}

function tell(result: Comparison | HalfLoad): void {
  const line =
    "rate" in result
      ? `    at half of that: p99 ${milliseconds(result.product.p99)} ms`
      : `  ${result.name}: ${rate(result.product.requestsPerSecond)} requests/s, ${percent(result.ratio)} of the limit`;
  console.log(line);
}
