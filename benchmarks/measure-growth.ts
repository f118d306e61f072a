import { findServer, residentMemory } from "../dev/harness/processes.ts";
import { readProgramme } from "../dev/harness/programme.ts";
import { startSite } from "../dev/harness/running-site.ts";
import { openData } from "./data.ts";
import { type Figures, significant } from "./goals.ts";
import { cpuEach, type Effort, perSecond, ratio, saturating, takeTurns } from "./load.ts";
import { firstApiPage, newApiQueries } from "./measure-reads.ts";
import { startRival } from "./rivals/start.ts";

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
  const { url } = await openData(grownDir, running);
  const goodSql = await startRival("good-sql", url, running);
  const searches = saturating(many, newApiQueries(texts));
  const sqlSearches = saturating(goodSql, newApiQueries(texts));
  await takeTurns([...pages, searches, sqlSearches], effort);
  const compare = (own: number, usual: number, unit: string) => ({
    value: own / usual,
    detail: `${significant(own)} ${unit}, with the usual data ${significant(usual)} ${unit}`,
  });
  const highest = ({ pid }: { pid: number }) => residentMemory(pid, "highest");
  return {
    grownFirstPage: {
      value: ratio(...pages, "cpu"),
      detail: `${cpuEach(pages[0])}, with the usual data ${cpuEach(pages[1])}`,
    },
    grownSearch: {
      value: ratio(searches, sqlSearches),
      detail: `${perSecond(searches)}, good SQL ${perSecond(sqlSearches)}`,
    },
    grownStart: compare(many.startedIn / 1000, few.startedIn / 1000, "s"),
    grownMemory: compare(highest(many), highest(few), "MB"),
  };
}
