import { findServer, residentMemory } from "../dev/harness/processes.ts";
import { readProgramme } from "../dev/harness/programme.ts";
import { startSite } from "../dev/harness/running-site.ts";
import { type Figures, significant } from "./goals.ts";
import { type Contender, cpuEach, type Effort, ratio, saturating, takeTurns } from "./load.ts";
import { firstApiPage, newApiQueries } from "./measure-reads.ts";

/** Goal 8: a site over ten times the data, asked in turn with one of the usual size. */
export async function measureGrowth(
  usualDir: string,
  grownDir: string,
  effort: Effort,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const start = async (dataDir: string) => {
    const { origin, pid, startedIn } = await startSite(dataDir, running);
    return { origin, pid: findServer(pid), startedIn };
  };
  const [few, many] = [await start(usualDir), await start(grownDir)];
  const { texts } = await readProgramme(few.origin);
  const pages = [saturating(many, firstApiPage), saturating(few, firstApiPage)] as const;
  const searches = [saturating(many, newApiQueries(texts)), saturating(few, newApiQueries(texts))] as const;
  await takeTurns([...pages, ...searches], effort);
  const compareCpu = ([own, usual]: readonly [Contender, Contender]) => ({
    value: ratio(own, usual, "cpu"),
    detail: `${cpuEach(own)}, with the usual data ${cpuEach(usual)}`,
  });
  const compare = (own: number, usual: number, unit: string) => ({
    value: own / usual,
    detail: `${significant(own)} ${unit}, with the usual data ${significant(usual)} ${unit}`,
  });
  const highest = ({ pid }: { pid: number }) => residentMemory(pid, "highest");
  return {
    grownFirstPage: compareCpu(pages),
    grownSearch: compareCpu(searches),
    grownStart: compare(many.startedIn / 1000, few.startedIn / 1000, "s"),
    grownMemory: compare(highest(many), highest(few), "MB"),
  };
}
