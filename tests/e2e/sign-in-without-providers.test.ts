import { expect, test } from "./support/test.ts";

/** The small site has no credentials of providers (docs/product.md §6.5). */
test("without providers each way to sign in shows an error", async ({ page, ui, visit }) => {
  for (const [address, name, button] of [
    ["/", "Google", ui.signInButton],
    ["/auth", "Google", ui.continueWith("Google")],
    ["/auth", "GitHub", ui.continueWith("GitHub")],
  ] as const) {
    await visit(address);
    await button.click();
    const toast = ui.toasts.getByRole("alert");
    await expect(toast.getByText("Error", { exact: true })).toBeVisible();
    await expect(toast).toContainText(`${name} is not set up`);
    await expect(page).toHaveURL(address);
  }
});
