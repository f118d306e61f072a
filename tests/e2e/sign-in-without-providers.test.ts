import { accountsOf } from "./support/accounts.ts";
import { expect, once, soak, test } from "./support/test.ts";

/** The small site has no credentials of providers (docs/product.md §6.5). */
test.describe("without providers", () => {
  test("Sign In shows an error and stays on the list", once, async ({ page, list, visit }) => {
    await visit("/");
    await accountsOf(page).signInButton.click();
    const toast = list.toasts.getByRole("alert");
    await expect(toast.getByText("Error", { exact: true })).toBeVisible();
    await expect(toast).toContainText("Google is not set up");
    await expect(page).toHaveURL("/");
  });

  for (const name of ["Google", "GitHub"] as const) {
    test(
      `Continue with ${name} shows an error and stays on the page`,
      name === "GitHub" ? once : soak,
      async ({ page, list, visit }) => {
        await visit("/auth");
        await accountsOf(page).continueWith(name).click();
        const toast = list.toasts.getByRole("alert");
        await expect(toast.getByText("Error", { exact: true })).toBeVisible();
        await expect(toast).toContainText(`${name} is not set up`);
        await expect(page).toHaveURL("/auth");
      },
    );
  }
});
