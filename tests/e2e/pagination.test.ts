import { expect, once, soak, test, twice } from "./support/test.ts";

test(
  "Next, Previous and numbers lead to their pages, also in a new tab",
  once,
  async ({ page, context, list, visit }) => {
    await visit("/");
    await list.pageLink("Next page").click();
    await expect(list.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
    await expect(page).toHaveURL("/?page=2");
    await list.pageLink(7).click();
    await expect(list.summary).toHaveText("Showing 121-130 of 130 shows for 2025");
    await expect(list.pagination.locator("[aria-current=page]")).toHaveText(["7"]);
    await expect(list.pageLink("Next page")).toHaveAttribute("aria-disabled", "true");
    await list.pageLink("Previous page").click();
    await expect(page).toHaveURL("/?page=6");
    await list.pageLink(1).click();
    await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
    await expect(page).toHaveURL("/");
    const opened = context.waitForEvent("page");
    await list.pageLink(3).click({ modifiers: ["ControlOrMeta"] });
    await expect((await opened).getByRole("status")).toHaveText("Showing 41-60 of 130 shows for 2025");
    await expect(page).toHaveURL("/");
  },
);

test(
  "a page change scrolls to the top of the list and moves the focus there",
  twice,
  async ({ page, list, visit }) => {
    await visit("/");
    const results = page.getByRole("region", { name: "Shows" });
    await list.pageLink("Next page").click();
    await expect(list.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
    await expect(results).toBeFocused();
    await expect(list.summary).toBeInViewport({ ratio: 1 });
    await expect(list.card("Quiet Evening 13").getByRole("heading", { level: 3 })).toBeInViewport({
      ratio: 1,
    });
    await page.keyboard.press("Tab");
    await expect(list.card("Quiet Evening 13").getByRole("button")).toBeFocused();
  },
);

test("a change to the last page moves the focus to the list, too", soak, async ({ page, list, visit }) => {
  await visit("/?page=6");
  await list.pageLink("Next page").focus();
  await page.keyboard.press("Enter");
  await expect(list.summary).toHaveText("Showing 121-130 of 130 shows for 2025");
  await expect(page.getByRole("region", { name: "Shows" })).toBeFocused();
});

test("the later of two quick page changes wins", once, async ({ page, api, list, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*page=2$/);
  await visit("/");
  const held = await api.hold(/page=2$/);
  await list.pageLink(2).click();
  await expect.poll(held.waiting).toBe(1);
  await list.pageLink(3).click();
  await expect(list.summary).toHaveText("Showing 41-60 of 130 shows for 2025");
  await held.release();
  await list.pageLink(4).click();
  await expect(list.summary).toHaveText("Showing 61-80 of 130 shows for 2025");
  await expect(page).toHaveURL("/?page=4");
});
