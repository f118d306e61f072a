import { test as accountsTest } from "./support/accounts.ts";
import { expect, test, widths } from "./support/test.ts";
import { expectOnTop } from "./support/ui.ts";

test("Tab reaches a toast; Escape and Dismiss do not lose the focus", async ({ page, ui, visit }) => {
  await visit("/?search=tea");
  const button = ui.reviewButton(ui.card("Tea"));
  await button.press("Enter");
  await expect(ui.messages).toBeInViewport({ ratio: 1 });
  await expect(button).toBeFocused();
  const dismiss = ui.toasts.getByRole("button", { name: "Dismiss notification" });
  const isFocused = () => dismiss.evaluate((node) => node === document.activeElement);
  for (let stop = 0; stop < 20 && !(await isFocused()); stop++) await page.keyboard.press("Tab");
  await expect(dismiss).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(ui.messages).toHaveCount(0);
  // Tab came from the last link before the toasts.
  await expect(page.getByRole("contentinfo").locator(":focus")).toBeVisible();
  await button.press("Enter");
  await page.keyboard.press("Escape");
  await expect(ui.messages).toHaveCount(0);
  await expect(button).toBeFocused();
});

test("a toast does not cover the focus", { tag: "@measures" }, async ({ page, ui, visit }) => {
  await visit("/?search=moth");
  const button = ui.reviewButton(ui.card("Moth Hour"));
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // The button is at the bottom of the window.
    const bottom = await button.evaluate((node) => node.getBoundingClientRect().bottom + window.scrollY);
    await page.setViewportSize({ width, height: Math.ceil(bottom) });
    await button.click();
    await expect(ui.messages).toBeInViewport({ ratio: 1 });
    await expect(button).toBeFocused();
    await expectOnTop(button);
    await ui.messages.getByRole("button", { name: "Dismiss notification" }).click();
    await expect(button).toBeInViewport({ ratio: 1 });
  }
});

accountsTest("a dialog that opens dismisses a success", async ({ page, ui, email }) => {
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "share"));
  await page.context().grantPermissions(["clipboard-write"]);
  await ui.openSignedIn(email, "/?search=matinee+70");
  const card = ui.card("Matinee 70");
  await card.getByRole("link", { name: "Share", exact: true }).click();
  await expect(ui.toasts).toContainText("Link copied");
  await ui.reviewButton(card).click();
  await expect(ui.dialog).toBeVisible();
  await expect(ui.toasts).not.toContainText("Link copied");
});
