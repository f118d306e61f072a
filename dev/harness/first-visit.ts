import type { Page, Request } from "@playwright/test";

/** Transferred bytes and requests of a first visit, until the page is idle, without the icon of its tab. */
export const firstVisitBudget = { scripts: 104_000, styles: 7_000, html: 12_000, requests: 10 };

/** @param page of a browser that has never opened the site */
export async function measureFirstVisit(page: Page, url: string) {
  const finished: Request[] = [];
  page.on("requestfinished", (request) => finished.push(request));
  // The page requests its notes last.
  const notes = page.waitForResponse(/\/api\/reviews/);
  await page.goto(url);
  await (await notes).finished();
  await page.waitForLoadState("networkidle");
  // When and whether to request it is up to the browser: a headless shell has no tabs to show it on.
  const icons = await page
    .locator("link[rel~=icon]")
    .evaluateAll((all: HTMLLinkElement[]) => all.map(({ href }) => href));
  const requests = finished.filter((request) => !icons.includes(request.url()));
  const bytesOf = (type: string) =>
    transferredBytes(requests.filter((request) => request.resourceType() === type));
  const weights = {
    scripts: await bytesOf("script"),
    styles: await bytesOf("stylesheet"),
    html: await bytesOf("document"),
    requests: requests.length,
  };
  return { weights, requests };
}

async function transferredBytes(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
}
