import { YEAR } from "../../src/domain/programme.ts";
import { expect, pauseClock, test } from "./support/test.ts";

const historyLength = () => history.length;
const historyKey = (): unknown => history.state?.key;

test("a search adds one history entry after another navigation", async ({ page, ui, visit }) => {
  await visit("/?interaction=no");
  const before = await page.evaluate(historyLength);
  for (const text of ["q", "quiet", "quiet evening"]) {
    await ui.searchBox.fill(text);
    await expect(ui.summary).toContainText(`matching "${text}"`);
  }
  expect(await page.evaluate(historyLength)).toBe(before + 1);
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toContainText("Showing 21-24");
  await ui.searchBox.fill("quiet evening 2");
  await expect(ui.summary).toContainText("Showing 1-6");
  for (const [summary, text] of [
    [`Showing 21-24 of 24 shows for ${YEAR} matching "quiet evening"`, "quiet evening"],
    [`Showing 1-20 of 24 shows for ${YEAR} matching "quiet evening"`, "quiet evening"],
    [`Showing 1-20 of 28 shows for ${YEAR}`, ""],
  ] as const) {
    await page.goBack();
    await expect(ui.summary).toHaveText(summary);
    await expect(ui.searchBox).toHaveValue(text);
  }
  await expect(page).toHaveURL("/?interaction=no");
  await expect(ui.filters.getByRole("button", { pressed: true })).toHaveText(["No Interaction"]);
  await page.goForward();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "quiet evening"`);
  await expect(ui.searchBox).toHaveValue("quiet evening");
  await test.step("and none if it repeats the shown one", async () => {
    const length = await page.evaluate(historyLength);
    for (const text of ["quiet evening", "quiet evening "]) {
      const key = await page.evaluate(historyKey);
      await ui.searchBox.fill(text);
      await ui.searchBox.press("Enter");
      await expect.poll(() => page.evaluate(historyKey)).not.toBe(key);
    }
    await expect(ui.summary).toContainText('matching "quiet evening"');
    expect(await page.evaluate(historyLength)).toBe(length);
  });
});

test("Back within the debounce drops the typed search", async ({ page, api, ui, visit }) => {
  await page.clock.install();
  await visit("/");
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 28 shows for ${YEAR}`);
  await pauseClock(page);
  await ui.searchBox.fill("quiet");
  await page.goBack();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await page.clock.runFor(5_000);
  expect(api.queries).toEqual(["?interaction=no", ""]);
  await expect(ui.searchBox).toHaveValue("");
});

test("a filter does not scroll the page, and Back restores where it was", async ({ page, ui, visit }) => {
  await visit("/");
  await page.evaluate(() => scrollTo(0, 120));
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 28 shows for ${YEAR}`);
  expect(await page.evaluate(() => scrollY)).toBe(120);
  await ui.filter("All Shows").click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await ui.card("Quiet Evening 12").scrollIntoViewIfNeeded();
  const position = await page.evaluate(() => scrollY);
  expect(position).toBeGreaterThan(300);
  await ui.pageLink(2).dispatchEvent("click");
  await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
  await page.goBack();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeCloseTo(position, -1);
});
