import { pauseClock } from "./support/pause-clock.ts";
import { expect, test, untilInteractive } from "./support/test.ts";

const historyLength = () => history.length;

/** Returns the router's key of the history entry, which changes when a navigation completes. */
const historyKey = (): unknown => history.state?.key;

test("a search adds one history entry, and Back restores list and box", async ({ page, ui, visit }) => {
  await visit("/?interaction=no");
  const before = await page.evaluate(historyLength);
  for (const text of ["q", "quiet", "quiet evening 2"]) {
    await ui.searchBox.fill(text);
    await expect(ui.summary).toContainText(`matching "${text}"`);
  }
  expect(await page.evaluate(historyLength)).toBe(before + 1);

  await page.goBack();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await expect(ui.searchBox).toHaveValue("");
  await expect(page).toHaveURL("/?interaction=no");

  await page.goForward();
  await expect(ui.summary).toHaveText('Showing 1-6 of 6 shows for 2025 matching "quiet evening 2"');
  await expect(ui.searchBox).toHaveValue("quiet evening 2");
});

test("a search after another navigation adds its own history entry", async ({ page, ui, visit }) => {
  await visit("/");
  await ui.searchBox.fill("evening");
  await expect(ui.summary).toContainText('matching "evening"');
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toContainText("Showing 21-24");
  await ui.searchBox.fill("matinee");
  await expect(ui.summary).toContainText('matching "matinee"');
  for (const [summary, text] of [
    ['Showing 21-24 of 24 shows for 2025 matching "evening"', "evening"],
    ['Showing 1-20 of 24 shows for 2025 matching "evening"', "evening"],
    ["Showing 1-20 of 130 shows for 2025", ""],
  ] as const) {
    await page.goBack();
    await expect(ui.summary).toHaveText(summary);
    await expect(ui.searchBox).toHaveValue(text);
  }
});

test("repeating the shown search adds no history entry", async ({ page, ui, visit }) => {
  await visit("/?search=moth");
  const before = await page.evaluate(historyLength);
  for (const text of ["moth", "moth "]) {
    const key = await page.evaluate(historyKey);
    await ui.searchBox.fill(text);
    await ui.searchBox.press("Enter");
    await expect.poll(() => page.evaluate(historyKey)).not.toBe(key);
  }
  await expect(ui.summary).toContainText('matching "moth"');
  expect(await page.evaluate(historyLength)).toBe(before);
});

test("Back and Forward go through filters and pages, and the site's name leads to the whole list", async ({
  page,
  ui,
  visit,
}) => {
  const pressed = ui.filters.getByRole("button", { pressed: true });
  await visit("/");
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await expect(page).toHaveURL("/?interaction=no");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText("Showing 21-28 of 28 shows for 2025");
  await page.goBack();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await expect(pressed).toHaveText(["No Interaction"]);
  await page.goBack();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(pressed).toHaveText(["All Shows"]);
  await page.goForward();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await page.goForward();
  await expect(ui.summary).toHaveText("Showing 21-28 of 28 shows for 2025");
  await ui.searchBox.fill("quiet");
  await expect(ui.summary).toContainText('matching "quiet"');
  await page.getByRole("banner").getByRole("link", { name: "Front Row?" }).click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(ui.searchBox).toHaveValue("");
  await expect(page).toHaveURL("/");
});

test("Back within the debounce drops the typed search", async ({ page, api, ui, visit }) => {
  await page.clock.install();
  await visit("/");
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await pauseClock(page);
  await ui.searchBox.fill("quiet");
  await page.goBack();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await page.clock.runFor(5_000);
  expect(api.queries).toEqual(["?interaction=no", ""]);
  await expect(ui.searchBox).toHaveValue("");
});

test("a reload and a shared link show the same part of the list", async ({ page, ui, visit, context }) => {
  await visit("/");
  await ui.searchBox.fill("evening");
  await expect(page).toHaveURL("/?search=evening");
  await ui.filter("No Interaction").click();
  const next = "/?search=evening&interaction=no&page=2";
  await expect(ui.pageLink("Next page")).toHaveAttribute("href", next);
  await ui.pageLink("Next page").click();
  const summary = 'Showing 21-24 of 24 shows for 2025 matching "evening"';
  await expect(ui.summary).toHaveText(summary);

  await page.reload();
  await untilInteractive(page);
  await expect(ui.summary).toHaveText(summary);
  await expect(ui.searchBox).toHaveValue("evening");
  await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");

  const friend = await context.newPage();
  await friend.goto(page.url());
  await expect(friend.getByRole("main").getByRole("status")).toHaveText(summary);
  await expect(friend.getByRole("searchbox")).toHaveValue("evening");
});

test("a filter does not scroll the page, and Back restores where it was", async ({ page, ui, visit }) => {
  await visit("/");
  await page.evaluate(() => scrollTo(0, 120));
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  expect(await page.evaluate(() => scrollY)).toBe(120);
  await ui.filter("All Shows").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await ui.card("Quiet Evening 12").scrollIntoViewIfNeeded();
  const position = await page.evaluate(() => scrollY);
  expect(position).toBeGreaterThan(300);
  await ui.pageLink(2).dispatchEvent("click");
  await expect(ui.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
  await page.goBack();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect.poll(() => page.evaluate(() => scrollY)).toBeCloseTo(position, -1);
});
