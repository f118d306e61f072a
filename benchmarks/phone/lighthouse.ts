import lighthouse from "lighthouse";
import { openBrowser } from "../../scripts/browser.ts";
import { freePort } from "../../tests/support/free-port.ts";
import { median } from "../median.ts";

/** What Lighthouse says of the first page on its mid-range phone; times in ms, medians of several runs. */
export interface Lighthouse {
  /** Of 100. */
  performance: number;
  firstContentfulPaint: number;
  largestContentfulPaint: number;
  totalBlockingTime: number;
  cumulativeLayoutShift: number;
  speedIndex: number;
}

/** Lighthouse's own settings for phones: a fourth of the processor, 1.6 Mbit/s, a round trip of 150 ms. Performance alone. */
export async function measureLighthouse(
  origin: string,
  times: number,
  running: AsyncDisposableStack,
): Promise<Lighthouse> {
  const runs: Lighthouse[] = [];
  while (runs.length < times) runs.push(await runLighthouse(origin, running));
  const medianOf = (figure: keyof Lighthouse) => median(runs.map((run) => run[figure]));
  return {
    performance: medianOf("performance"),
    firstContentfulPaint: medianOf("firstContentfulPaint"),
    largestContentfulPaint: medianOf("largestContentfulPaint"),
    totalBlockingTime: medianOf("totalBlockingTime"),
    cumulativeLayoutShift: medianOf("cumulativeLayoutShift"),
    speedIndex: medianOf("speedIndex"),
  };
}

/** In a browser of its own, which has never seen the site. */
async function runLighthouse(origin: string, running: AsyncDisposableStack): Promise<Lighthouse> {
  const port = await freePort();
  const browser = await openBrowser(running, [`--remote-debugging-port=${port}`]);
  try {
    const result = await lighthouse(origin, { port, onlyCategories: ["performance"], logLevel: "error" });
    if (!result) throw new Error("Lighthouse has no result");
    const { audits, categories, runtimeError } = result.lhr;
    if (runtimeError) throw new Error(`Lighthouse: ${runtimeError.message}`);
    const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN;
    return {
      performance: (categories.performance?.score ?? Number.NaN) * 100,
      firstContentfulPaint: figure("first-contentful-paint"),
      largestContentfulPaint: figure("largest-contentful-paint"),
      totalBlockingTime: figure("total-blocking-time"),
      cumulativeLayoutShift: figure("cumulative-layout-shift"),
      speedIndex: figure("speed-index"),
    };
  } finally {
    await browser.close();
  }
}
