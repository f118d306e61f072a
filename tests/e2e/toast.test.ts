import { expect, once, test } from "./support/test.ts";

test(
  "Review This Show without a session shows a toast that takes no focus",
  once,
  async ({ page, list, visit }) => {
    await visit("/");
    const button = list.card("Sit Back").getByRole("button", { name: "Review This Show" });
    await button.click();
    const toast = list.toasts.getByRole("status");
    await expect(toast.getByText("Sign in required", { exact: true })).toBeVisible();
    await expect(toast.getByText("Please sign in to review shows.", { exact: true })).toBeVisible();
    await expect(toast).toBeInViewport({ ratio: 1 });
    await expect(button).toBeFocused();
    await expect(page).toHaveURL("/");
  },
);

test(
  "a toast can be dismissed by mouse and by keyboard, and returns the focus",
  once,
  async ({ page, list, visit }) => {
    await visit("/?search=tea");
    const button = list.card("Tea").getByRole("button", { name: "Review This Show" });
    await button.click();
    const dismiss = list.toasts.getByRole("button", { name: "Dismiss notification" });
    await dismiss.click();
    await expect(list.toasts).not.toContainText("Sign in required");

    await button.focus();
    await page.keyboard.press("Enter");
    await expect(list.toasts).toContainText("Sign in required");
    for (
      let stop = 0;
      stop < 20 && !(await dismiss.evaluate((node) => node === document.activeElement));
      stop++
    ) {
      await page.keyboard.press("Tab");
    }
    await expect(dismiss).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(list.toasts).not.toContainText("Sign in required");
    // Where Tab came from: the last link before the toasts.
    await expect(page.getByRole("contentinfo").locator(":focus")).toBeVisible();
  },
);

test("a toast closes after its reading time, but not while hovered", once, async ({ page, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await page.clock.pauseAt(Date.now() + 60_000);
  await list.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
  const toast = list.toasts.getByRole("status");
  await page.clock.runFor(6_000);
  await expect(toast).toBeVisible();
  await toast.hover();
  await page.clock.runFor(60_000);
  await expect(toast).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(60_000);
  await expect(toast).toHaveCount(0);
});

test("a toast replaces one that says the same", once, async ({ list, visit }) => {
  await visit("/");
  for (const title of ["Moth Hour", "Sit Back"]) {
    await list.card(title).getByRole("button", { name: "Review This Show" }).click();
  }
  await expect(list.toasts.getByRole("status")).toHaveCount(1);
});

test("the live region of toasts exists before the first toast", once, async ({ page, visit }) => {
  await visit("/");
  await expect(page.getByRole("region", { name: "Notifications" })).toHaveAttribute("aria-live", "polite");
});
