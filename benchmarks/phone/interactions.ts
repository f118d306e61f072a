import type { Browser, Page } from "@playwright/test";
import { median } from "../median.ts";
import { openPhone } from "./phone.ts";

declare global {
  interface Window {
    /** How long each interaction took so far, in ms, by Event Timing: from the touch or key to the next frame. */
    interactions?: Map<number, number>;
  }
}

/** What somebody does, and how long the slowest touch or key of it took, in ms: the median of several visits. */
export interface Interaction {
  name: string;
  longest: number;
}

/** How much slower than this machine the phone is. */
const SLOWDOWN = 4;

/** Event Timing tells of nothing shorter, in ms. */
const SHORTEST_SEEN = 16;

/** A step of a visit; the page is that of somebody who is signed in and sees the first page of the list. */
interface Step {
  name: string;
  act: (page: Page) => Promise<void>;
}

const steps: Step[] = [
  { name: "typing a search, and on while its list comes", act: search },
  { name: "choosing a filter", act: filter },
  { name: "turning the page", act: turnPage },
  { name: "opening the notes of a tally", act: openNotes },
  { name: "opening the review dialog", act: openDialog },
  { name: "choosing an answer and writing notes", act: fillIn },
  { name: "submitting the review", act: submit },
];

/** Goes through a visit several times, with real touches and keys, on a processor slowed four times. */
export async function measureInteractions(browser: Browser, origin: string, times: number): Promise<Interaction[]> {
  const visits: number[][] = [];
  while (visits.length < times) visits.push(await visit(browser, origin));
  return steps.map(({ name }, index) => ({ name, longest: median(visits.map((longest) => longest[index] ?? 0)) }));
}

/** The longest interaction of each step. */
async function visit(browser: Browser, origin: string): Promise<number[]> {
  const page = await openPhone(browser, SLOWDOWN);
  await page.addInitScript(noteInteractions);
  await signIn(page, origin);
  const longest: number[] = [];
  for (const { act } of steps) {
    await page.waitForLoadState("networkidle");
    await takeLongest(page);
    await act(page);
    longest.push(await takeLongest(page));
  }
  await page.context().close();
  return longest;
}

/** Runs in the page, before anything else does. */
function noteInteractions(): void {
  const watched: PerformanceObserverInit & { durationThreshold: number } = {
    type: "event",
    durationThreshold: 16,
    buffered: true,
  };
  const interactions = new Map<number, number>();
  window.interactions = interactions;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!(entry instanceof PerformanceEventTiming) || !entry.interactionId) continue;
      interactions.set(entry.interactionId, Math.max(entry.duration, interactions.get(entry.interactionId) ?? 0));
    }
  }).observe(watched);
}

/** The longest interaction since it was last asked for. Entries come after the frame that ends them. */
async function takeLongest(page: Page): Promise<number> {
  await page.waitForTimeout(500);
  const seen = await page.evaluate(() => {
    const durations = [...(window.interactions?.values() ?? [])];
    window.interactions?.clear();
    return durations;
  });
  return Math.max(SHORTEST_SEEN, ...seen);
}

/** As one of the people whom the stand-in offers. */
async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: /@/ }).first().click();
  await page.getByRole("button", { name: "Sign Out" }).waitFor();
}

async function search(page: Page): Promise<void> {
  const box = page.getByRole("searchbox");
  const newList = page.waitForResponse("**/api/shows?*");
  await box.tap();
  await box.pressSequentially("the", { delay: 90 });
  await newList;
  await box.pressSequentially(" love", { delay: 90 });
  await page.getByRole("status").getByText('matching "the love"').waitFor();
  await box.fill("");
  await page
    .getByRole("status")
    .getByText(/shows for 2025$/)
    .waitFor();
}

async function filter(page: Page): Promise<void> {
  for (const name of ["Some Interaction", "All Shows"]) {
    const button = page.getByRole("button", { name });
    await button.tap();
    await page.locator(`[aria-pressed="true"]`, { hasText: name }).waitFor();
    await page.locator('[aria-busy="false"]').waitFor();
  }
}

async function turnPage(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Next page" }).tap();
  await page.getByRole("status").getByText("Showing 21-40").waitFor();
}

async function openNotes(page: Page): Promise<void> {
  await page.getByRole("button", { name: /note/ }).first().tap();
  await page.getByRole("region", { name: /^Notes for/ }).waitFor();
  await page.keyboard.press("Escape");
}

async function openDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review This Show" }).first().tap();
  await page.getByRole("dialog").waitFor();
}

async function fillIn(page: Page): Promise<void> {
  // Half a second after it has opened it takes presses.
  await page.getByRole("radio", { name: "Very little interaction" }).check();
  await page.getByRole("textbox", { name: "Additional notes" }).pressSequentially("A lot of clapping.", { delay: 60 });
}

async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Submit Review" }).tap();
  await page.getByText("Review submitted!").waitFor();
}
