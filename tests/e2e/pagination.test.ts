import { YEAR } from "../../src/domain/programme.ts";
import { expect, test, widths } from "./support/test.ts";

test("a page opens in a new tab", async ({ page, ui, visit }) => {
  await visit("/");
  const opened = page.context().waitForEvent("page");
  await ui.pageLink(3).click({ modifiers: ["ControlOrMeta"] });
  await expect((await opened).getByRole("status")).toHaveText(`Showing 41-60 of 130 shows for ${YEAR}`);
  await expect(page).toHaveURL("/");
});

test("a page change scrolls to the top of the list and focuses it", async ({ page, ui, visit }) => {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await visit("/");
    await ui.pageLink("Next page").click();
    await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
    await expect(page.getByRole("region", { name: "Shows" })).toBeFocused();
    await expect(ui.summary).toBeInViewport({ ratio: 1 });
    const card = ui.card("Quiet Evening 13");
    await expect(card.getByRole("heading", { level: 3 })).toBeInViewport({ ratio: 1 });
    await page.keyboard.press("Tab");
    await expect(card.getByRole("button")).toBeFocused();
  }
});

test("the later of two quick page changes wins", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*page=2$/);
  await visit("/");
  const held = await api.hold(/page=2$/);
  await ui.pageLink(2).click();
  await expect.poll(held.waiting).toBe(1);
  await ui.pageLink(3).click();
  await expect(ui.summary).toHaveText(`Showing 41-60 of 130 shows for ${YEAR}`);
  await held.release();
  await ui.pageLink(4).click();
  await expect(ui.summary).toHaveText(`Showing 61-80 of 130 shows for ${YEAR}`);
  await expect(page).toHaveURL("/?page=4");
});
