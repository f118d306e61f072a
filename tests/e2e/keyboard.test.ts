import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";
import { filterNames } from "./support/ui.ts";

function focused(page: Page): Promise<{ name: string; visible: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    return {
      name: element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "",
      visible: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 && width > 10 && height > 10,
    };
  });
}

test("Tab reaches every control in reading order, with a visible focus ring", async ({ page, visit }) => {
  await visit(`/?search=evening&interaction=no&page=2`);
  const reached: string[] = [];
  do {
    await page.keyboard.press("Tab");
    const { name, visible } = await focused(page);
    reached.push(name);
    expect(visible, `the focus on “${name}” is visible`).toBe(true);
  } while (reached.at(-1) !== "Page 2" && reached.length < 40);
  expect(reached).toEqual([
    "Skip to shows",
    "Skip to pages",
    "Front Row?",
    "Sign In",
    "",
    "Clear search",
    ...filterNames,
    "Nobody said Yes",
    "Most said Yes",
    "Announced in the listing",
    ...Array.from({ length: 4 }, () => ["Theatre", "Review This Show", "Share", "Details"]).flat(),
    "Previous page",
    "Page 1",
    "Page 2",
  ]);
});

test("filters, pages, cards and skip links work without a mouse", async ({ page, api, ui, visit }) => {
  await visit("/");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to shows" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport({ ratio: 1 });
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(ui.card("Moth Hour").getByRole("link", { name: "Moth Hour" })).toBeFocused();
  await page.getByRole("link", { name: "Skip to pages" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(ui.pageLink(1)).toBeFocused();
  expect(api.queries).toEqual([]);
  await visit("/?search=evening");
  const filter = ui.filter("No Interaction");
  await filter.press("Space");
  await expect(page).toHaveTitle(/No Interaction/);
  await expect(filter).toBeFocused();
  await ui.card("Quiet Evening 20").getByRole("link", { name: "Details" }).focus();
  for (const name of ["Page 1", "Page 2", "Next page"]) {
    await page.keyboard.press("Tab");
    expect((await focused(page)).name).toBe(name);
  }
  await page.keyboard.press("Enter");
  await expect(ui.summary).toHaveText(`Showing 21-24 of 24 shows for ${YEAR} matching "evening"`);
  await expect(page.getByRole("region", { name: "Shows" })).toBeFocused();
  for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
  await expect(ui.toasts).toContainText("Sign in required");
  await expect(ui.card("Quiet Evening 21").getByRole("button")).toBeFocused();
});
