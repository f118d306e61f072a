import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";

const scrollOf = (page: Page) => page.evaluate(() => scrollY);

test("signing in leads back to the list, and once to the dialog", async ({ page, ui, email, visit }) => {
  const link = ui.toasts.getByRole("link", { name: "Sign in", exact: true });
  const card = ui.card("Quiet Evening 12");
  await visit("/?search=evening&interaction=no");
  await ui.reviewButton(card).click();
  const position = await scrollOf(page);
  expect(position).toBeGreaterThan(300);
  await test.step("by the link of the toast, and past the sign-in page on the way back", async () => {
    await link.click();
    await expect(page).toHaveURL("/auth");
    await expect(link).toHaveCount(0);
    await ui.continueWith("GitHub").click();
    await expect(page).toHaveTitle(/GitHub/);
    await page.goBack();
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await ui.reviewButton(card).click();
    await link.click();
    await ui.continueWith("Google").click();
    await ui.submitAccount(email);
    await expect(ui.dialog.getByRole("heading", { name: "Review: Quiet Evening 12" })).toBeVisible();
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await ui.cancel.click();
    await expect(ui.reviewButton(card)).toBeFocused();
    expect(await scrollOf(page)).toBeCloseTo(position, -2);
    await page.reload();
    await expect(ui.signOutButton).toBeVisible();
    await expect(ui.dialog).toHaveCount(0);
  });
  await test.step("by Sign In, after a failure and after a success", async () => {
    await ui.signOutButton.click();
    for (const press of ["Deny", "Continue"]) {
      await page.evaluate(() => scrollTo(0, 0));
      await ui.signInButton.click();
      await ui.submitAccount(email, { press });
      await expect(page).toHaveURL("/?search=evening&interaction=no");
      if (press === "Continue") await expect(ui.signOutButton).toBeVisible();
      else await expect(ui.toasts.getByRole("alert")).toContainText(/Sign in failed.*Please try again\./);
    }
    await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
    await expect(ui.dialog).toHaveCount(0);
  });
});
