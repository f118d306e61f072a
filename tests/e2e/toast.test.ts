import { pauseClock } from "./support/pause-clock.ts";
import { expect, test, widths } from "./support/test.ts";
import { expectOnTop } from "./support/ui.ts";

test("a toast is announced, takes no focus and leaves by Escape", async ({ page, ui, visit }) => {
  await visit("/");
  const region = ui.toasts.locator("[aria-live]");
  await expect(region).toHaveAttribute("aria-live", "polite");
  const toast = ui.messages;
  const button = ui.reviewButton(ui.card("Sit Back"));
  for (const title of ["Moth Hour", "Sit Back"]) await ui.reviewButton(ui.card(title)).click();
  await expect(toast).toHaveCount(1);
  await expect(toast.getByText("Sign in required", { exact: true })).toBeVisible();
  await expect(toast.getByText("Please sign in to review shows.", { exact: true })).toBeVisible();
  await expect(region).toContainText("Sign in required");
  await expect(toast).toBeInViewport({ ratio: 1 });
  await expect(button).toBeFocused();
  await expect(page).toHaveURL("/");
  await test.step("no region of announcements is inside another", async () => {
    const announced = ":is([aria-live], [role=status], [role=alert])";
    await expect(page.locator(`${announced} ${announced}`)).toHaveCount(0);
  });
  await test.step("Escape dismisses the newest toast, wherever the focus is", async () => {
    await ui.card("Moth Hour").getByRole("link", { name: "Share", exact: true }).click();
    await expect(toast).toHaveCount(2);
    await button.focus();
    await page.keyboard.press("Escape");
    await expect(toast).toHaveCount(1);
    await expect(ui.toasts).toContainText("Sign in required");
    await expect(button).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(toast).toHaveCount(0);
  });
});

test("Dismiss works by mouse and by keyboard, and returns the focus", async ({ page, ui, visit }) => {
  await visit("/?search=tea");
  const button = ui.reviewButton(ui.card("Tea"));
  await button.click();
  const dismiss = ui.toasts.getByRole("button", { name: "Dismiss notification" });
  await dismiss.click();
  await expect(ui.toasts).not.toContainText("Sign in required");

  await button.press("Enter");
  await expect(ui.toasts).toContainText("Sign in required");
  const isFocused = () => dismiss.evaluate((node) => node === document.activeElement);
  for (let stop = 0; stop < 20 && !(await isFocused()); stop++) await page.keyboard.press("Tab");
  await expect(dismiss).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(ui.toasts).not.toContainText("Sign in required");
  // Where Tab came from: the last link before the toasts.
  await expect(page.getByRole("contentinfo").locator(":focus")).toBeVisible();
});

test("a toast closes after its reading time, but not while hovered", async ({ page, ui, visit }) => {
  await page.clock.install();
  // A list without reviews: no request of its page is under way that the clock could end.
  await visit("/?search=haggis");
  await pauseClock(page);
  await ui.reviewButton(ui.card("100% Haggis")).click();
  await page.clock.runFor(6_000);
  await expect(ui.messages).toBeVisible();
  await ui.messages.hover();
  await page.clock.runFor(60_000);
  await expect(ui.messages).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(60_000);
  await expect(ui.messages).toHaveCount(0);
});

test("a toast does not cover the focus", async ({ page, ui, visit }) => {
  await visit("/?search=moth");
  const button = ui.reviewButton(ui.card("Moth Hour"));
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // A window at whose end the button stands.
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
