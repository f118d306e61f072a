import { YEAR } from "../../src/domain/programme.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/test.ts";

test("axe finds no violations on lists of any state", async ({ page, api, ui, visit, problems }) => {
  problems.expect(/^console error: Shows could not be loaded with their reviews/);
  await visit("/?search=zzz");
  await expectAccessible(page);
  await visit("/");
  await expectAccessible(page);
  await visit("/?interaction=yes");
  await ui.reviewButton(ui.card("Moth Hour")).click();
  await expect(ui.toasts).toContainText("Sign in required");
  const held = await api.hold();
  await ui.filter("No Interaction").click();
  await expect(ui.loading).toBeVisible();
  await expectAccessible(page);
  await held.release();
  await expect(ui.loading).toBeHidden();
  await api.respond({ json: {} }, /^(?!.*reviews=none)/);
  await ui.searchBox.fill("moth");
  await expect(ui.cards.first()).toContainText("Reviews can't be loaded right now.");
  await expectAccessible(page);
});

test("an unknown address shows the 404 page, which leads home", async ({ page, ui, visit, problems }) => {
  problems.expect(/^404: .*\/no\/such%20page$/, /^console error: Failed to load resource: .* 404/);
  problems.expect(/^console error: 404: .*\/no\/such(%20| )page/);
  await visit("/no/such%20page");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Return to Home", exact: true }).click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Oops! Page not found", exact: true })).toBeVisible();
});
