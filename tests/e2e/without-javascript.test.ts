import { expect, once, test, twice } from "./support/test.ts";

test.use({ javaScriptEnabled: false });

test("the button Search keeps the filters and starts on page 1", twice, async ({ page, list, visit }) => {
  await visit("/?interaction=no&page=2");
  await list.searchBox.fill("evening");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(list.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await expect(list.searchBox).toHaveValue("evening");
});

test("Enter searches", once, async ({ page, list, visit }) => {
  await visit("/");
  await list.searchBox.fill("moth");
  await list.searchBox.press("Enter");
  await expect(list.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "moth"');
  await expect(page).toHaveURL("/?search=moth");
});

test("Back restores the earlier list", once, async ({ page, list, visit }) => {
  await visit("/");
  await list.filter("No Interaction").click();
  await expect(list.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await list.pageLink("Next page").click();
  await expect(list.summary).toHaveText("Showing 21-28 of 28 shows for 2025");
  await page.goBack();
  await page.goBack();
  await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
});

test(
  "the page says what needs JavaScript, and has no button that does nothing",
  once,
  async ({ page, visit }) => {
    await visit("/?search=moth");
    await expect(page.getByRole("main").getByText(/needs JavaScript/)).toBeVisible();
    for (const name of ["Review This Show", "Clear search"])
      await expect(page.getByRole("button", { name })).toHaveCount(0);
    await page.getByRole("link", { name: "signing in" }).click();
    await expect(page.getByText("Signing in needs JavaScript.")).toBeVisible();
  },
);
