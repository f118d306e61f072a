import { once } from "node:events";
import { createServer } from "node:http";
import { type Browser, devices, type Page, type Request } from "@playwright/test";
import { z } from "zod";
import { openBrowser } from "../scripts/browser.ts";
import { median } from "./load.ts";

declare global {
  interface Window {
    /** When the frame was drawn that has the whole list, in ms since navigation. */
    listPaintedAt?: number;
    /** The longest interaction, in ms, by Event Timing: from the touch or key to the next frame. */
    longestInteraction?: number;
  }
}

/** Of `benchmarks/package.json`, which `npm run bench` alone installs: the types are not there before. */
const ownPackage: string = "lighthouse";
type Lighthouse = (url: string, flags: { port: number; logLevel: "error" }) => Promise<unknown>;
const lighthouseResult = z.object({
  lhr: z.object({
    runtimeError: z.object({ message: z.string() }).optional(),
    audits: z.record(z.string(), z.object({ numericValue: z.number().optional() })),
    categories: z.record(z.string(), z.object({ score: z.number().nullable() })),
  }),
});

const CPU_SLOWDOWN = 4;

/** Goals 9 to 11: visits of a phone, as Chromium emulates it. Times are medians of several visits. */
export async function measurePhone(origin: string, visits: number, running: AsyncDisposableStack) {
  const audits: Awaited<ReturnType<typeof audit>>[] = [];
  while (audits.length < visits) audits.push(await audit(origin, running));
  const medianRun = audits.find(({ lcp }) => lcp === median(audits.map((run) => run.lcp)));
  if (!medianRun) throw new Error("Lighthouse measured no largest contentful paint");
  const browser = await openBrowser(running);
  const weights = await weighFirstVisit(browser, origin);
  const lists: number[] = [];
  const interactions: number[] = [];
  while (lists.length < visits) {
    lists.push(await timeToList(browser, origin));
    interactions.push(await longestInteraction(browser, origin));
  }
  const chromium = browser.version();
  await browser.close();
  const values = { ...weights, ...medianRun, listReadable: median(lists) / 1000, inp: median(interactions) };
  return { values, chromium };
}

/** Lighthouse with its own settings for phones, in a browser that has never seen the site. */
async function audit(origin: string, running: AsyncDisposableStack) {
  const port = await freePort();
  const browser = await openBrowser(running, [`--remote-debugging-port=${port}`]);
  const { default: lighthouse }: { default: Lighthouse } = await import(ownPackage);
  const { audits, categories, runtimeError } = lighthouseResult.parse(
    await lighthouse(origin, { port, logLevel: "error" }),
  ).lhr;
  await browser.close();
  if (runtimeError) throw new Error(`Lighthouse: ${runtimeError.message}`);
  const score = (id: string) => (categories[id]?.score ?? Number.NaN) * 100;
  const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN;
  return {
    performance: score("performance"),
    accessibility: score("accessibility"),
    bestPractices: score("best-practices"),
    seo: score("seo"),
    lcp: figure("largest-contentful-paint") / 1000,
    tbt: figure("total-blocking-time"),
    cls: figure("cumulative-layout-shift"),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  server.close();
  return port;
}

/** What a first visit loads: KB as they came over the wire, and requests. */
async function weighFirstVisit(browser: Browser, origin: string) {
  const page = await browser.newPage();
  const requests: Request[] = [];
  page.on("requestfinished", (request) => requests.push(request));
  await page.goto(origin, { waitUntil: "networkidle" });
  const weigh = async (type: string) => {
    const sizes = await Promise.all(
      requests.filter((one) => one.resourceType() === type).map((one) => one.sizes()),
    );
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1000;
  };
  return {
    scripts: await weigh("script"),
    styles: await weigh("stylesheet"),
    html: await weigh("document"),
    requests: requests.length,
  };
}

/** A phone that has never seen the site. */
async function openPhone(browser: Browser) {
  const context = await browser.newContext(devices["Moto G4"]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  return { page, session, close: () => context.close() };
}

/** How long until 20 cards can be read at 400 ms and 400 kbit/s, in ms. */
async function timeToList(browser: Browser, origin: string): Promise<number> {
  const { page, session, close } = await openPhone(browser);
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

/**
 * INP of a visit by somebody who is signed in, with real touches and keys: its longest interaction, in ms.
 */
async function longestInteraction(browser: Browser, origin: string): Promise<number> {
  const { page, close } = await openPhone(browser);
  await page.goto(origin);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: /@/ }).first().click();
  await page.getByRole("button", { name: "Sign Out" }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => {
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
  await browse(page);
  await review(page);
  await page.waitForTimeout(300); // Entries come after the frame that ends them.
  const longest = await page.evaluate(() => window.longestInteraction ?? Number.NaN);
  await close();
  return longest;
}

/** Searches, filters, turns the page and opens the notes of a tally. */
async function browse(page: Page): Promise<void> {
  const status = page.getByRole("status");
  const box = page.getByRole("searchbox");
  await box.tap();
  await box.pressSequentially("the love", { delay: 90 });
  await status.getByText('matching "the love"').waitFor();
  await box.fill("");
  await status.getByText(/shows for 2025$/).waitFor();
  for (const name of ["Some Interaction", "All Shows"]) {
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
