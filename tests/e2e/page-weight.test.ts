import { firstVisitBudget, measureFirstVisit } from "../../dev/harness/first-visit.ts";
import { expect, test } from "./support/test.ts";

test.use({ site: "product" });

test("the first visit keeps its budgets of bytes and requests", async ({ page }, testInfo) => {
  const { weights, requests } = await measureFirstVisit(page, "/");
  testInfo.annotations.push({ type: "weights", description: JSON.stringify(weights) });
  for (const what of ["html", "scripts", "styles", "requests"] as const) {
    expect(weights[what], what).toBeGreaterThan(firstVisitBudget[what] / 20);
    expect(weights[what], what).toBeLessThanOrEqual(firstVisitBudget[what]);
  }
  for (const request of requests) {
    expect(["document", "script", "stylesheet", "image", "other", "fetch"]).toContain(request.resourceType());
  }
  const fetches = requests.filter((request) => request.resourceType() === "fetch");
  expect(fetches.map((request) => new URL(request.url()).pathname)).toEqual(["/api/reviews"]);
});
