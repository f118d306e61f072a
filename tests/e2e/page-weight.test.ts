import type { Page, Request } from "@playwright/test";
import { firstVisitBudget, measureFirstVisit, transferredBytes } from "../../dev/harness/first-visit.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";

test.use({ site: "product" });

/** Resolves when the notes, which a page requests last, are loaded: on a slow machine long after the rest. */
function untilNotes(page: Page): Promise<Request> {
  return page.waitForEvent("requestfinished", (request) => request.url().includes("/api/reviews"));
}

test("the first visit keeps its budgets of bytes and requests", async ({ page }, testInfo) => {
  const { weights, requests } = await measureFirstVisit(page, "/");
  testInfo.annotations.push({ type: "weights", description: JSON.stringify(weights) });
  expect(weights.html).toBeGreaterThan(1_000);
  expect(weights.html).toBeLessThanOrEqual(firstVisitBudget.html);
  expect(weights.scripts).toBeGreaterThan(10_000);
  expect(weights.scripts).toBeLessThanOrEqual(firstVisitBudget.scripts);
  expect(weights.styles).toBeGreaterThan(1_000);
  expect(weights.styles).toBeLessThanOrEqual(firstVisitBudget.styles);
  expect(weights.requests).toBeLessThanOrEqual(firstVisitBudget.requests);
  for (const request of requests) {
    expect(["document", "script", "stylesheet", "image", "other", "fetch"]).toContain(request.resourceType());
  }
  const fetches = requests.filter((request) => request.resourceType() === "fetch");
  expect(fetches.map((request) => new URL(request.url()).pathname)).toEqual(["/api/reviews"]);
});

test("another page of the list takes two small requests", async ({ page, ui, visit }) => {
  const first = untilNotes(page);
  await visit("/");
  await first;
  await page.waitForLoadState("networkidle");
  const requests: Request[] = [];
  page.on("requestfinished", (request) => requests.push(request));
  const notes = untilNotes(page);
  await ui.pageLink(2).click();
  await expect(ui.summary).toHaveText(`Showing 21-40 of 3893 shows for ${YEAR}`);
  await notes;
  const apiRequests = requests.filter((request) => !request.url().endsWith("/favicon.svg"));
  expect(apiRequests.map((request) => new URL(request.url()).pathname)).toEqual([
    "/api/shows",
    "/api/reviews",
  ]);
  expect(await transferredBytes(apiRequests.slice(0, 1))).toBeLessThanOrEqual(8_000);
  expect(await transferredBytes(apiRequests.slice(1))).toBeLessThanOrEqual(8_000);
});
