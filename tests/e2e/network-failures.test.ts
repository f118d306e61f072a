import type { Page } from "@playwright/test";
import { holdScripts } from "./support/hold-scripts.ts";
import { pauseClock } from "./support/pause-clock.ts";
import { expect, soak, soakUnless, test, untilInteractive } from "./support/test.ts";
import { watchTexts } from "./support/watch-texts.ts";

const REVIEWS_UNKNOWN = "Reviews can't be loaded right now.";
/** Query strings of requests for the list with tallies, and for shows alone (docs/product.md §8.3). */
const withTallies = /^(?!.*reviews=none)/;
const showsAlone = /reviews=none/;
const captivePortalPage = {
  contentType: "text/html",
  body: "<!doctype html><title>Free Wi-Fi</title><h1>Please log in</h1>",
};

test("a pending request keeps the old list; an empty one shows no advice", async ({
  page,
  api,
  ui,
  visit,
}) => {
  await visit("/");
  const summaries = await watchTexts(ui.summary);
  const held = await api.hold();
  await ui.filter("Lots of Interaction").click();
  await expect.poll(() => ui.loading.evaluate(isVisible)).toBe(true);
  await expect(ui.loading).toBeInViewport({ ratio: 1 });
  await expect(ui.filter("Lots of Interaction")).toHaveAttribute("aria-pressed", "true");
  await expect(ui.cards).toHaveCount(20);
  await expect(ui.cards.first().locator("xpath=ancestor::*[@aria-busy='true']")).toHaveCount(1);
  await held.release();
  await expect(ui.cards).toHaveCount(6);
  await expect(ui.loading).toHaveCount(0);
  expect(await summaries()).toEqual([
    "Showing 1-20 of 130 shows for 2025",
    "Showing 1-6 of 6 shows for 2025",
  ]);
  await api.respond({ json: { year: 2025, page: 1, page_size: 20, total: 0, shows: [] } });
  await ui.filter("All Shows").click();
  await expect(ui.summary).toHaveText("No shows found");
  await expect(page.getByText("Shows are updated every 12 hours.", { exact: true })).toBeVisible();
  await expect(page.getByText("Try adjusting your search terms")).toHaveCount(0);
});

for (const [failure, response, problem] of [
  ["a server error", { status: 500, json: { code: "internal", message: "Sorry." } }, /^500: /],
  ["a lost connection", "offline", /^failed: net::ERR_INTERNET_DISCONNECTED/],
  ["a captive portal's page", captivePortalPage, null],
  ["unexpected JSON", { json: { shows: "none" } }, null],
] as const) {
  test(
    `after ${failure} the page lists shows alone and logs the failure`,
    soakUnless(["a server error", "a captive portal's page"].includes(failure)),
    async ({ api, ui, visit, problems }) => {
      problems.expect(/^console error: Shows could not be loaded with their reviews/);
      problems.allow(/^console error: Failed to load resource/);
      if (problem) problems.expect(problem);
      await visit("/");
      await api.respond(response, withTallies);
      await ui.filter("Lots of Interaction").click();
      await expect(ui.cards.getByText(REVIEWS_UNKNOWN, { exact: true })).toHaveCount(20);
      await expect(ui.notice).toHaveText(`${REVIEWS_UNKNOWN}Try again`);
      await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
      expect(api.queries).toEqual(["?interaction=yes", "?interaction=yes&reviews=none"]);
      await expect(ui.cards.getByText(/No reviews yet|Most common|\d reviews?\)/)).toHaveCount(0);
      await expect(ui.cards.getByRole("listitem")).toHaveCount(0);

      await ui.searchBox.fill("evening");
      await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
      await expect(ui.titles.first()).toHaveText("Quiet Evening 1");
      await ui.pageLink("Next page").click();
      await expect(ui.summary).toHaveText('Showing 21-24 of 24 shows for 2025 matching "evening"');
      await expect(ui.cards.getByText(REVIEWS_UNKNOWN, { exact: true })).toHaveCount(4);
    },
  );
}

test("when shows alone fail too, the list is empty until Try again", async ({
  page,
  api,
  ui,
  visit,
  problems,
}) => {
  problems.expect(
    /^console error: Shows could not be loaded with their reviews/,
    /^console error: Shows could not/,
  );
  problems.expect(/^failed: net::ERR_INTERNET_DISCONNECTED .*reviews=none/);
  problems.allow(/^failed: net::ERR_INTERNET_DISCONNECTED/, /^console error: Failed to load resource/);
  await visit("/");
  await api.respond("offline");
  await ui.filter("No Interaction").click();
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded\. Check your connection\./);
  await expect(ui.summary).toHaveText("No shows found");
  await expect(ui.cards).toHaveCount(0);
  await expect(ui.pagination).toHaveCount(0);

  await ui.searchBox.fill("evening");
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
  await expect(page.getByText(/Try adjusting your search terms|every 12 hours/)).toHaveCount(0);
  await expect(ui.searchBox).toHaveValue("evening");

  await api.restore();
  await ui.tryAgain.press("Enter");
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(ui.notice).toHaveCount(0);
  await expect(page.locator("#shows")).toBeFocused();
});

test("without the network a list that was seen is shown again", async ({
  page,
  api,
  ui,
  visit,
  problems,
}) => {
  problems.allow(/^failed: net::ERR_INTERNET_DISCONNECTED/, /^console error: /);
  await page.clock.install();
  await visit("/");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-6 of 6 shows for 2025");
  await api.respond("offline");

  await test.step("for Back, for an undone filter and for a repeated search", async () => {
    await page.goBack();
    await expect(ui.notice).toHaveText(/^No connection\. This list is from \d\d:\d\d\./);
    await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
    await expect(ui.cards.getByText(/\(\d+ reviews?\)/)).toHaveCount(20);
    await ui.filter("Lots of Interaction").click();
    await expect(ui.summary).toHaveText("Showing 1-6 of 6 shows for 2025");
    await expect(ui.notice).toHaveText(/^No connection\./);
    await ui.searchBox.fill("never seen");
    await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
  });
  await pauseClock(page);
  await test.step("every 15 seconds, but not while the tab is hidden", async () => {
    const before = api.queries.length;
    await page.clock.runFor(15_000);
    await expect.poll(() => api.queries.length).toBe(before + 2);
    await setHidden(page, true);
    await page.clock.runFor(60_000);
    expect(api.queries).toHaveLength(before + 2);
    // Repeated, as what happens while a retry is under way starts no other one.
    await expect(async () => {
      await setHidden(page, false);
      expect(api.queries.length).toBeGreaterThan(before + 2);
    }).toPass();
  });
  await test.step("when the browser is online again", async () => {
    await api.restore();
    await expect(async () => {
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await expect(page.getByText("Try adjusting your search terms", { exact: true })).toBeVisible({
        timeout: 500,
      });
    }).toPass();
    await expect(ui.summary).toHaveText("No shows found");
    await expect(ui.notice).toHaveCount(0);
  });
  await test.step("and when the tab was hidden for more than five minutes", async () => {
    const before = api.queries.length;
    const sent = page.waitForRequest(/\/api\/shows/);
    await setHidden(page, true);
    await page.clock.runFor(301_000);
    await setHidden(page, false);
    // The next return would abort it.
    await (await (await sent).response())?.finished();
    expect(api.queries).toHaveLength(before + 1);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
    await expect.poll(() => api.queries.length).toBe(before + 2);
  });
});

test("a captive portal's page is not parsed as a list", soak, async ({ api, ui, visit, problems }) => {
  problems.expect(/^console error: Shows could not be loaded:/);
  problems.allow(/^console error: /);
  await visit("/");
  await api.respond(captivePortalPage);
  await ui.filter("No Interaction").click();
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
});

/** Makes the page believe that its tab is hidden, or shown again. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

/** Unlike Playwright's visibility, excludes elements that have not faded in yet. */
function isVisible(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}

test("before hydration, filters, pages and Enter load whole pages", async ({ page, ui, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED/);
  const releaseScripts = await holdScripts(page);
  await page.goto("/", { waitUntil: "commit" });
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText("Showing 21-28 of 28 shows for 2025");
  await ui.searchBox.fill("sit");
  await ui.searchBox.press("Enter");
  await expect(ui.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "sit"');
  await expect(page).toHaveURL("/?search=sit&interaction=no");
  releaseScripts();
  await untilInteractive(page);
  await expect(ui.searchBox).toHaveValue("sit");
});

test("a page whose scripts fail to load is readable", async ({ page, ui, problems }) => {
  problems.expect(
    /^failed: net::ERR_INTERNET_DISCONNECTED .*\.js$/,
    /^console error: Failed to load resource/,
  );
  await page.route(/\.js$/, (route) => route.abort("internetdisconnected"));
  await page.goto("/?search=moth");
  await expect(ui.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "moth"');
  await ui.filter("All Shows").click();
  await expect(page).toHaveURL("/?search=moth");
  await expect(ui.cards).toHaveCount(1);
});

test("an aborted request does not fall back to shows alone", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*search=m$/);
  await visit("/");
  const held = await api.hold(/search=m$/);
  await ui.searchBox.fill("m");
  await expect.poll(held.waiting).toBe(1);
  await page.goBack();
  await expect(page).toHaveURL("about:blank");
  expect(api.queries.filter((query) => showsAlone.test(query))).toEqual([]);
  await held.release();
});
