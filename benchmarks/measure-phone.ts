import { type Browser, devices, type Page } from "@playwright/test";
import { z } from "zod";
import { measureFirstVisit } from "../dev/harness/first-visit.ts";
import { freePort } from "../dev/harness/free-port.ts";
import { openBrowser } from "../scripts/browser.ts";
import { YEAR } from "../src/domain/programme.ts";
import { type Figures, significant } from "./goals.ts";
import { median, medianRatio } from "./load.ts";
import { serveStaticPage } from "./rivals/static-page.ts";

declare global {
  interface Window {
    /** When the frame was drawn that has the whole list, in ms since navigation. */
    listPaintedAt?: number;
    /** The longest interaction, in ms, by Event Timing: from the touch or key to the next frame. */
    longestInteraction?: number;
  }
}

/** A package of `benchmarks/package.json`. Only `npm run bench` installs it, so its types may be missing. */
const ownPackage: string = "lighthouse";
interface Flags {
  onlyCategories?: string[];
  onlyAudits?: string[];
  throttlingMethod?: "devtools";
  throttling?: { cpuSlowdownMultiplier: number };
}
type Lighthouse = (url: string, flags: Flags & { port: number; logLevel: "error" }) => Promise<unknown>;
const lighthouseResult = z.object({
  lhr: z.object({
    runtimeError: z.object({ message: z.string() }).optional(),
    environment: z.object({ benchmarkIndex: z.number() }),
    audits: z.record(z.string(), z.object({ numericValue: z.number().optional() })),
    categories: z.record(z.string(), z.object({ score: z.number().nullable() })),
  }),
});

/**
 * The phone that Lighthouse simulates, by its benchmark index: a desktop of 1,500 to 2,000 slowed down four
 * times (docs/throttling.md there).
 */
const PHONE_INDEX = 1_750 / 4;

const FILTERS = ["Some Interaction", "All Shows"];

/** Goals 9 to 11: visits of a phone, as Chromium emulates it, in turn with a static page of the same content. */
export async function measurePhone(
  origin: string,
  visits: number,
  running: AsyncDisposableStack,
): Promise<Figures> {
  const staticPage = await serveStaticPage(origin, running);
  const slowdowns: number[] = [];
  const audits: Audit[] = [];
  const loads: number[] = [];
  const staticLoads: number[] = [];
  while (audits.length < visits) {
    const cpuSlowdownMultiplier = await calibrate(origin, running);
    slowdowns.push(cpuSlowdownMultiplier);
    const throttling = { cpuSlowdownMultiplier };
    audits.push(await audit(origin, { throttling }, running));
    // Lighthouse's simulation would charge a paint for all scripts that it arrives after.
    const observed: Flags = { throttling, throttlingMethod: "devtools", onlyCategories: ["performance"] };
    loads.push((await audit(origin, observed, running)).lcp);
    staticLoads.push((await audit(staticPage, observed, running)).lcp);
  }
  const browser = await openBrowser(running);
  const { weights } = await measureFirstVisit(await browser.newPage(), origin);
  const slowdown = median(slowdowns);
  const lists: number[] = [];
  const staticLists: number[] = [];
  const interactions: number[] = [];
  const presses: number[] = [];
  while (lists.length < visits) {
    lists.push(await timeToList(browser, origin, slowdown));
    staticLists.push(await timeToList(browser, staticPage, slowdown));
    interactions.push(await longestInteraction(browser, origin, slowdown, browseAndReview));
    presses.push(await longestInteraction(browser, staticPage, slowdown, replaceList));
  }
  await browser.close();
  const medianOf = (score: keyof Audit) => ({ value: median(audits.map((audit) => audit[score])) });
  const compare = (own: number[], other: number[]) => ({
    value: medianRatio(own, other),
    detail: `${significant(median(own))} ms, static ${significant(median(other))} ms`,
  });
  return {
    scripts: { value: weights.scripts / 1000 },
    styles: { value: weights.styles / 1000 },
    html: { value: weights.html / 1000 },
    requests: { value: weights.requests },
    performance: { ...medianOf("performance"), detail: `slowed down ${significant(slowdown)} times` },
    accessibility: medianOf("accessibility"),
    bestPractices: medianOf("bestPractices"),
    seo: medianOf("seo"),
    lcp: compare(loads, staticLoads),
    cls: medianOf("cls"),
    listReadable: compare(lists, staticLists),
    inp: compare(interactions, presses),
  };
}

/** How many times this processor is slowed down to be the phone's. */
export async function calibrate(origin: string, running: AsyncDisposableStack): Promise<number> {
  const { index } = await audit(origin, { onlyAudits: ["viewport"] }, running);
  return Math.max(1, index / PHONE_INDEX);
}

type Audit = Awaited<ReturnType<typeof audit>>;

/** Lighthouse with its own settings for phones, in a browser that has never seen the site. */
async function audit(origin: string, flags: Flags, running: AsyncDisposableStack) {
  const port = await freePort();
  const browser = await openBrowser(running, [`--remote-debugging-port=${port}`]);
  const { default: lighthouse }: { default: Lighthouse } = await import(ownPackage);
  const { audits, categories, environment, runtimeError } = lighthouseResult.parse(
    await lighthouse(origin, { ...flags, port, logLevel: "error" }),
  ).lhr;
  await browser.close();
  if (runtimeError) throw new Error(`Lighthouse: ${runtimeError.message}`);
  const score = (id: string) => (categories[id]?.score ?? Number.NaN) * 100;
  const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN;
  return {
    index: environment.benchmarkIndex,
    performance: score("performance"),
    accessibility: score("accessibility"),
    bestPractices: score("best-practices"),
    seo: score("seo"),
    lcp: figure("largest-contentful-paint"),
    cls: figure("cumulative-layout-shift"),
  };
}

/** A phone that has never seen the site. */
export async function openPhone(browser: Browser, slowdown: number) {
  const context = await browser.newContext(devices["Moto G4"]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return { page, session, close: () => context.close() };
}

/** How long until 20 cards can be read at 400 ms and 400 kbit/s, in ms. */
async function timeToList(browser: Browser, origin: string, slowdown: number): Promise<number> {
  const { page, session, close } = await openPhone(browser, slowdown);
  const throughput = (400 * 1000) / 8;
  const line = { offline: false, latency: 400, downloadThroughput: throughput, uploadThroughput: throughput };
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", line);
  await page.addInitScript(() => {
    const look = () => {
      const isPainted = performance.getEntriesByName("first-contentful-paint").length > 0;
      if (isPainted && document.querySelectorAll("article h3").length >= 20)
        window.listPaintedAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(origin, { waitUntil: "commit" });
  await page.waitForFunction(() => window.listPaintedAt !== undefined);
  const paintedAt = await page.evaluate(() => window.listPaintedAt ?? Number.NaN);
  await close();
  return paintedAt;
}

/** INP of a visit with real touches and keys: its longest interaction, in ms. */
async function longestInteraction(
  browser: Browser,
  origin: string,
  slowdown: number,
  visit: (page: Page) => Promise<void>,
): Promise<number> {
  const { page, close } = await openPhone(browser, slowdown);
  await page.addInitScript(() => {
    const options: PerformanceObserverInit & { durationThreshold: number } = {
      type: "event",
      durationThreshold: 16,
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!(entry instanceof PerformanceEventTiming) || !entry.interactionId) continue;
        window.longestInteraction = Math.max(window.longestInteraction ?? 0, entry.duration);
      }
    }).observe(options);
  });
  await page.goto(origin);
  await visit(page);
  await page.waitForTimeout(300); // Entries come after the frame that ends them.
  const longest = await page.evaluate(() => window.longestInteraction ?? Number.NaN);
  await close();
  return longest;
}

/** On the static page: each press replaces the list by another of as many elements. */
async function replaceList(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.addEventListener("click", (event) => {
      event.preventDefault();
      const list = document.querySelector("#shows");
      list?.replaceWith(list.cloneNode(true));
    });
  });
  for (const name of FILTERS) {
    await page.getByRole("button", { name }).tap();
    await page.waitForTimeout(300);
  }
}

/** Signs in, searches, filters, turns the page, opens the notes of a tally and writes a review. */
async function browseAndReview(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: /@/ }).first().click();
  await page.getByRole("button", { name: "Sign Out" }).waitFor();
  await page.waitForLoadState("networkidle");
  await browse(page);
  await review(page);
}

async function browse(page: Page): Promise<void> {
  const status = page.getByRole("status");
  const box = page.getByRole("searchbox");
  await box.tap();
  await box.pressSequentially("the love", { delay: 90 });
  await status.getByText('matching "the love"').waitFor();
  await box.fill("");
  await status.getByText(new RegExp(`shows for ${YEAR}$`)).waitFor();
  for (const name of FILTERS) {
    await page.getByRole("button", { name }).tap();
    await page.locator('[aria-pressed="true"]', { hasText: name }).waitFor();
    await page.locator('[aria-busy="false"]').waitFor();
  }
  await page.getByRole("link", { name: "Next page" }).tap();
  await status.getByText("Showing 21-40").waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByRole("button", { name: /note/ }).first().tap();
  await page.getByRole("region", { name: /^Notes for/ }).waitFor();
  await page.keyboard.press("Escape");
}

async function review(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review This Show" }).first().tap();
  await page.getByRole("dialog").waitFor();
  await page.getByRole("radio", { name: "Very little interaction" }).check();
  await page
    .getByRole("textbox", { name: "Additional notes" })
    .pressSequentially("A lot of clapping.", { delay: 60 });
  await page.getByRole("button", { name: "Submit Review" }).tap();
  await page.getByText("Review submitted!").waitFor();
}
