import { YEAR } from "../../src/domain/programme.ts";
import { expect, test, widths } from "./support/test.ts";

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
    await expect(card.getByRole("link", { name: "Theatre" })).toBeFocused();
  }
});
