import type { Page, Request } from "@playwright/test";
import { expect, once, test, untilInteractive } from "./support/test.ts";

test.use({ site: "product" });

/** Bytes of the bodies as they came over the wire. */
async function weigh(requests: Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
}

/** Resolves when a page has what it asks for last: on a busy machine that may be long after all else. */
function untilNotes(page: Page): Promise<Request> {
  return page.waitForEvent("requestfinished", (request) => request.url().includes("/api/reviews"));
}

test("the first visit is light: HTML, scripts, styles and the number of requests", once, async ({ page }, testInfo) => {
  const requests: Request[] = [];
  page.on("requestfinished", (request) => requests.push(request));
  const notes = untilNotes(page);
  await page.goto("/");
  await untilInteractive(page);
  await notes;
  await page.waitForLoadState("networkidle");
  const weightOf = (type: string) => weigh(requests.filter((request) => request.resourceType() === type));
  const weights = {
    html: await weightOf("document"),
    scripts: await weightOf("script"),
    styles: await weightOf("stylesheet"),
    requests: requests.length,
  };
  testInfo.annotations.push({ type: "weights", description: JSON.stringify(weights) });
  expect(weights.html).toBeGreaterThan(1_000);
  expect(weights.html).toBeLessThanOrEqual(15_000);
  expect(weights.scripts).toBeGreaterThan(10_000);
  expect(weights.scripts).toBeLessThanOrEqual(115_000);
  expect(weights.styles).toBeGreaterThan(1_000);
  expect(weights.styles).toBeLessThanOrEqual(12_000);
  expect(weights.requests).toBeLessThanOrEqual(12);
  for (const request of requests) {
    expect(["document", "script", "stylesheet", "image", "other", "fetch"]).toContain(request.resourceType());
  }
  const asked = requests.filter((request) => request.resourceType() === "fetch");
  expect(asked.map((request) => new URL(request.url()).pathname)).toEqual(["/api/reviews"]);
});

test(
  "another part of the list costs two small requests: for the list and for its notes",
  once,
  async ({ page, list, visit }) => {
    const first = untilNotes(page);
    await visit("/");
    await first;
    await page.waitForLoadState("networkidle");
    const requests: Request[] = [];
    page.on("requestfinished", (request) => requests.push(request));
    const notes = untilNotes(page);
    await list.pageLink(2).click();
    await expect(list.summary).toHaveText("Showing 21-40 of 3893 shows for 2025");
    await notes;
    const asked = requests.filter((request) => !request.url().endsWith("/favicon.svg"));
    expect(asked.map((request) => new URL(request.url()).pathname)).toEqual(["/api/shows", "/api/reviews"]);
    expect(await weigh(asked.slice(0, 1))).toBeLessThanOrEqual(8_000);
    expect(await weigh(asked.slice(1))).toBeLessThanOrEqual(8_000);
  },
);

test("a second visit loads no script and no style again", once, async ({ page, visit }) => {
  await visit("/");
  await page.reload();
  await untilInteractive(page);
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((entry) => entry instanceof PerformanceResourceTiming && entry.transferSize > 0)
      .map((entry) => entry.name),
  );
  expect(loaded.filter((name) => name.includes("/assets/"))).toEqual([]);
});
