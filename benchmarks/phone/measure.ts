import { pino } from "pino";
import { openBrowser } from "../../scripts/browser.ts";
import { openDatabase } from "../../src/database/open.server.ts";
import { readRows } from "./baseline/read-rows.ts";
import { serveBaseline } from "./baseline/server.ts";
import { type BundlePart, mapBundle } from "./bundle-map.ts";
import { type Interaction, measureInteractions } from "./interactions.ts";
import { type Lighthouse, measureLighthouse } from "./lighthouse.ts";
import type { Line } from "./phone.ts";
import { timeToList } from "./time-to-list.ts";

/** What the product is on a phone; times in ms. */
export interface Phone {
  bundle: BundlePart[];
  lighthouse: Lighthouse;
  timesToList: TimeToList[];
  interactions: Interaction[];
}

/** From opening the address until the list can be read. */
export interface TimeToList {
  line: Line;
  product: number;
  /** The same page without server rendering, asking as the specification's client does. */
  baseline: number;
}

/** A bad signal, and the mobile network that Lighthouse thinks of. */
const lines: Line[] = [
  { roundTrip: 400, kilobitsPerSecond: 400 },
  { roundTrip: 150, kilobitsPerSecond: 1_638 },
];

/**
 * Measures the first page of the running product on phones that Chromium plays: a processor four times slower than this machine's.
 * @param times how often each is measured: the figures are medians
 */
export async function measurePhone(
  { origin, dataDir }: { origin: string; dataDir: string },
  { times }: { times: number },
  running: AsyncDisposableStack,
): Promise<Phone> {
  const bundle = await mapBundle();
  const lighthouse = await measureLighthouse(origin, times, running);
  const browser = await openBrowser(running);
  const baselineOrigin = await startBaseline(dataDir, running);
  const timesToList: TimeToList[] = [];
  for (const line of lines) {
    const product = await timeToList(browser, origin, line, times);
    timesToList.push({ line, product, baseline: await timeToList(browser, baselineOrigin, line, times) });
  }
  const interactions = await measureInteractions(browser, origin, times);
  await browser.close();
  return { bundle, lighthouse, timesToList, interactions };
}

async function startBaseline(dataDir: string, running: AsyncDisposableStack): Promise<string> {
  const log = pino({ level: "silent" });
  const { db, close } = await openDatabase({ databaseUrl: undefined, dataDir, log, sharing: "join" });
  const rows = await readRows(db).finally(close);
  return serveBaseline(rows, running);
}
