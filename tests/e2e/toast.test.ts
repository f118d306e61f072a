import { expect, once, test } from "./support/test.ts";

test("Review This Show asks to sign in first, without taking the focus", once, async ({ page, list, visit }) => {
  await visit("/");
  const button = list.card("Sit Back").getByRole("button", { name: "Review This Show" });
  await button.click();
  const toast = list.toasts.getByRole("status");
  await expect(toast.getByText("Sign in required", { exact: true })).toBeVisible();
  await expect(toast.getByText("Please sign in to review shows.", { exact: true })).toBeVisible();
  await expect(toast).toBeInViewport({ ratio: 1 });
  await expect(button).toBeFocused();
  await expect(page).toHaveURL("/");
});

test(
  "a toast is dismissed by its button, by mouse and by keyboard, and gives the focus back",
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
    for (let stop = 0; stop < 20 && !(await dismiss.evaluate((node) => node === document.activeElement)); stop++) {
      await page.keyboard.press("Tab");
    }
    await expect(dismiss).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(list.toasts).not.toContainText("Sign in required");
    await expect(page.getByRole("main").locator(":focus")).toBeVisible();
  },
);

test(
  "a toast stays long enough to be read and goes by itself, but not while it is pointed at",
  once,
  async ({ page, list, visit }) => {
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
  },
);

test("asking twice shows one toast", once, async ({ list, visit }) => {
  await visit("/");
  for (const title of ["Moth Hour", "Sit Back"]) {
    await list.card(title).getByRole("button", { name: "Review This Show" }).click();
  }
  await expect(list.toasts.getByRole("status")).toHaveCount(1);
});

test("toasts are announced from a place that is there before them", once, async ({ page, visit }) => {
  await visit("/");
  await expect(page.getByRole("region", { name: "Notifications" })).toHaveAttribute("aria-live", "polite");
});
