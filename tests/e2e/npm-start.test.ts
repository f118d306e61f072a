import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test.use({ site: "product" });

test("3893 shows have pages that fit", { tag: "@measures" }, async ({ page, ui, visit }) => {
  await visit("/");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 3893 shows for ${YEAR}`);
  await expect(ui.cards.getByText("Most common:")).toHaveCount(20);
  await visit("/?page=100");
  for (const width of [1100, 360, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await overflowOf(page)).toBe(0);
  }
  const pages = ["1", "…", "98", "99", "100", "101", "102", "…", "195"];
  await expect(ui.pagination.getByRole("listitem")).toHaveText(pages);
});
