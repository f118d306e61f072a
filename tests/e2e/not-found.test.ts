import { expect, test } from "./support/test.ts";

test("an unknown address shows the 404 page, which the console logs, with a link home; Back returns to it", async ({
  page,
  ui,
  visit,
  problems,
}) => {
  problems.expect(/^404: .*\/no\/such%20page$/, /^console error: Failed to load resource: .* 404/);
  problems.expect(/^console error: 404: .*\/no\/such(%20| )page/);
  await visit("/no/such%20page");
  await page.getByRole("link", { name: "Return to Home", exact: true }).click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Oops! Page not found", exact: true })).toBeVisible();
});
