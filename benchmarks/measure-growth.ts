import { setTimeout as delay } from "node:timers/promises";
import { findServer, residentMemory } from "../dev/harness/processes.ts";
import { startSite } from "../scripts/running-site.ts";
import type { Measured } from "./goals.ts";
import { type Effort, medianOf, saturating, type Target, takeTurns } from "./load.ts";
import { firstApiPage, newApiQueries } from "./measure-reads.ts";

/** Goal 8: a site over ten times the data, asked in turn with the one of the usual size. */
export async function measureGrowth(
  usual: Target,
  { dataDir, texts }: { dataDir: string; texts: readonly string[] },
  effort: Effort,
  running: AsyncDisposableStack,
): Promise<Measured> {
  const site = await startSite(dataDir, running);
  const grown = { origin: site.origin, pid: findServer(site.pid) };
  await delay(2_000);
  const atRest = residentMemory(grown.pid, "now");
  const [few, many] = [saturating(usual, firstApiPage), saturating(grown, firstApiPage)];
  const search = saturating(grown, newApiQueries(texts));
  await takeTurns([few, many, search], effort);
  const [cpu, usualCpu] = [medianOf(many, "cpu"), medianOf(few, "cpu")];
  return {
    values: {
      grownFirstPage: cpu / usualCpu,
      grownSearchCpu: medianOf(search, "cpu"),
      grownStart: site.startedIn / 1000,
      grownMemory: residentMemory(grown.pid, "highest"),
    },
    details: {
      grownFirstPage: `${micros(cpu)}, with the usual data ${micros(usualCpu)}`,
      grownMemory: `${atRest.toFixed(0)} MB at rest`,
    },
  };
}

const micros = (ms: number) => `${(ms * 1000).toFixed(0)} µs`;
