import { expect, once, test } from "./support/test.ts";

test(
  "an error while rendering shows the error page with a link to the list",
  once,
  async ({ page, list, visit }) => {
    await visit("/");
    await page.evaluate(() => {
      Object.defineProperty(HTMLMetaElement.prototype, "content", {
        get() {
          throw new Error("Broken on purpose");
        },
      });
    });
    await list.pageLink(2).click();
    await expect(page.getByRole("heading", { name: "Something went wrong", exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Return to Home", exact: true }).click();
    await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  },
);
