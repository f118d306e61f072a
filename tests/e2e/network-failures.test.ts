import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";
import { watchTexts } from "./support/watch-texts.ts";

const REVIEWS_UNKNOWN = "Reviews can't be loaded right now.";
/** Query strings of requests for the list with tallies, and not for shows alone (docs/product.md §8.3). */
const withTallies = /^(?!.*reviews=none)/;

test("a pending request keeps the list; an empty list has no advice", async ({ page, api, ui, visit }) => {
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
    `Showing 1-20 of 130 shows for ${YEAR}`,
    `Showing 1-6 of 6 shows for ${YEAR}`,
  ]);
  await api.respond({ json: { year: YEAR, page: 1, page_size: 20, total: 0, shows: [] } });
  await ui.filter("All Shows").click();
  await expect(ui.summary).toHaveText("No shows found");
  await expect(page.getByText("Shows are updated every 12 hours.", { exact: true })).toBeVisible();
  await expect(page.getByText("Try adjusting your search terms")).toHaveCount(0);
});

test("after a server error shows are listed alone; it is logged", async ({ api, ui, visit, problems }) => {
  problems.expect(/^console error: Shows could not be loaded with their reviews/, /^500: /);
  problems.allow(/^console error: Failed to load resource/);
  await visit("/");
  await api.respond({ status: 500, json: { code: "internal", message: "Sorry." } }, withTallies);
  await ui.filter("Lots of Interaction").click();
  await expect(ui.cards.getByText(REVIEWS_UNKNOWN, { exact: true })).toHaveCount(20);
  await expect(ui.notice).toHaveText(`${REVIEWS_UNKNOWN}Try again`);
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  expect(api.queries).toEqual(["?interaction=yes", "?interaction=yes&reviews=none"]);
  await expect(ui.cards.getByText(/No reviews yet|Most common|\d reviews?\)/)).toHaveCount(0);
  await expect(ui.cards.getByRole("listitem")).toHaveCount(0);
  await ui.searchBox.fill("evening");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
  await expect(ui.titles.first()).toHaveText("Quiet Evening 1");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-24 of 24 shows for ${YEAR} matching "evening"`);
  await expect(ui.cards.getByText(REVIEWS_UNKNOWN, { exact: true })).toHaveCount(4);
});

test("when these fail too, the list is empty until Try again", async ({ page, api, ui, visit, problems }) => {
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
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
  await expect(ui.notice).toHaveCount(0);
  await expect(page.locator("#shows")).toBeFocused();
});

test("without the network a list seen before is shown", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_INTERNET_DISCONNECTED/, /^console error: /);
  await visit("/");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-6 of 6 shows for ${YEAR}`);
  await api.respond("offline");
  await page.goBack();
  await expect(ui.notice).toHaveText(/^No connection\. This list is from \w{3} \d\d:\d\d\./);
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await expect(ui.cards.getByText(/\(\d+ reviews?\)/)).toHaveCount(20);
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-6 of 6 shows for ${YEAR}`);
  await expect(ui.notice).toHaveText(/^No connection\./);
  await ui.searchBox.fill("never seen");
  await expect(ui.notice).toHaveText(/^The list couldn't be loaded/);
  await api.restore();
  // Again, as an event while a request is under way starts no other one.
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await expect(page.getByText("Try adjusting your search terms", { exact: true })).toBeVisible({
      timeout: 500,
    });
  }).toPass();
  await expect(ui.notice).toHaveCount(0);
});

/** Unlike Playwright's visibility, excludes elements that have not faded in yet. */
function isVisible(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
}
