import type { Browser, Page } from "@playwright/test";
import { PAGE_SIZE } from "../../src/domain/show.ts";
import { median } from "../median.ts";
import { type Line, openPhone, putOnLine } from "./phone.ts";

declare global {
  interface Window {
    /** When the frame was drawn that has the whole list, in ms since the address was opened. */
    listSeenAt?: number;
  }
}

/** On how slow a phone, as a part of this machine's speed. */
const SLOWDOWN = 4;

/** How long it takes until the 20 cards can be read, in ms: the median of several first visits. */
export async function timeToList(browser: Browser, origin: string, line: Line, times: number): Promise<number> {
  const taken: number[] = [];
  while (taken.length < times) taken.push(await visit(browser, origin, line));
  return median(taken);
}

async function visit(browser: Browser, origin: string, line: Line): Promise<number> {
  const page = await openPhone(browser, SLOWDOWN);
  await putOnLine(page, line);
  await watchForList(page);
  await page.goto(origin, { waitUntil: "commit" });
  await page.waitForFunction(() => window.listSeenAt !== undefined);
  const seenAt = await page.evaluate(() => window.listSeenAt ?? Number.NaN);
  await page.context().close();
  return seenAt;
}

/** Looks at every frame that the browser draws; it draws none before the styles are there. */
async function watchForList(page: Page): Promise<void> {
  await page.addInitScript((size) => {
    const hasPainted = () => performance.getEntriesByName("first-contentful-paint").length > 0;
    const look = () => {
      const whole = document.querySelectorAll("article h3").length >= size;
      if (whole && hasPainted()) window.listSeenAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, PAGE_SIZE);
}
