import type { Page } from "@playwright/test";
import { test } from "./support/review-ui.ts";
import { expect, once } from "./support/test.ts";

const scrollOf = (page: Page) => page.evaluate(() => scrollY);

test(
  "signing in leads back to the list as it was, and once to the dialog of the show that was pressed",
  once,
  async ({ page, accounts, email, list, reviewUi, visit }) => {
    const link = list.toasts.getByRole("link", { name: "Sign in", exact: true });
    const card = list.card("Quiet Evening 12");
    await visit("/?search=evening&interaction=no");
    await reviewUi.reviewButton(card).click();
    const position = await scrollOf(page);
    expect(position).toBeGreaterThan(300);

    await test.step("by the link of the toast, and past the sign-in page on the way back", async () => {
      await link.click();
      await expect(page).toHaveURL("/auth");
      await expect(link).toHaveCount(0);
      await accounts.continueWith("GitHub").click();
      await expect(page).toHaveTitle(/GitHub/);
      await page.goBack();
      await expect(page).toHaveURL("/?search=evening&interaction=no");
      await reviewUi.reviewButton(card).click();
      await link.click();
      await accounts.continueWith("Google").click();
      await accounts.submitAccount(email);
      await expect(reviewUi.dialog.getByRole("heading", { name: "Review: Quiet Evening 12" })).toBeVisible();
      await expect(page).toHaveURL("/?search=evening&interaction=no");
      await reviewUi.cancel.click();
      await expect(reviewUi.reviewButton(card)).toBeFocused();
      expect(await scrollOf(page)).toBeCloseTo(position, -2);
      await page.reload();
      await expect(accounts.signOutButton).toBeVisible();
      await expect(reviewUi.dialog).toHaveCount(0);
    });
    await test.step("by Sign In, after a failure and after a success", async () => {
      await accounts.signOutButton.click();
      for (const press of ["Deny", "Continue"]) {
        await page.evaluate(() => scrollTo(0, 0));
        await accounts.signInButton.click();
        await accounts.submitAccount(email, { press });
        await expect(page).toHaveURL("/?search=evening&interaction=no");
        await expect(
          press === "Deny" ? list.toasts.getByRole("alert") : accounts.signOutButton,
        ).toBeVisible();
      }
      await expect(list.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
      await expect(reviewUi.dialog).toHaveCount(0);
    });
  },
);
