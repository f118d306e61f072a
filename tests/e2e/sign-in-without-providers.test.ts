import { accountsOf } from "./support/accounts.ts";
import { expect, once, test } from "./support/test.ts";

/** The small site has no credentials of providers (docs/product.md §6.5). */
test(
  "without providers each way to sign in shows an error and stays on its page",
  once,
  async ({ page, list, visit }) => {
    const accounts = accountsOf(page);
    for (const [address, name, button] of [
      ["/", "Google", accounts.signInButton],
      ["/auth", "Google", accounts.continueWith("Google")],
      ["/auth", "GitHub", accounts.continueWith("GitHub")],
    ] as const) {
      await visit(address);
      await button.click();
      const toast = list.toasts.getByRole("alert");
      await expect(toast.getByText("Error", { exact: true })).toBeVisible();
      await expect(toast).toContainText(`${name} is not set up`);
      await expect(page).toHaveURL(address);
    }
  },
);
