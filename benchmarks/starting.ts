import { type RunningSite, startSite, temporaryDataDir } from "../scripts/running-site.ts";
import { median } from "./median.ts";

/** Seconds, each the median of several times. */
export interface Starting {
  /** From `npm start` to the first whole page, on an empty data folder. */
  first: number;
  /** The same on one that is there. */
  again: number;
  /** From Ctrl-C to the end. */
  stop: number;
}

export interface Times {
  firstTimes: number;
  moreTimes: number;
}

/** Starts and stops the product again and again, on the given empty data folder and on others; `fill` adds to the given one after its first start. */
export async function measureStarting(
  dataDir: string,
  times: Times,
  fill: () => Promise<void>,
  running: AsyncDisposableStack,
): Promise<Starting> {
  const firsts: number[] = [];
  const agains: number[] = [];
  const stops: number[] = [];
  const start = async (folder: string, into: number[]) => {
    const site = await startSite(folder, running);
    into.push(site.startedIn / 1000);
    stops.push(await timeToStop(site));
  };
  await start(dataDir, firsts);
  await fill();
  while (firsts.length < times.firstTimes) await start(await temporaryDataDir(running), firsts);
  while (agains.length < times.moreTimes) await start(dataDir, agains);
  return { first: median(firsts), again: median(agains), stop: median(stops) };
}

async function timeToStop(site: RunningSite): Promise<number> {
  const began = performance.now();
  await site.stop();
  return (performance.now() - began) / 1000;
}
