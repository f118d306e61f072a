import { expectOnTop } from "./support/list.ts";
import { pauseClock } from "./support/pause-clock.ts";
import { expect, once, test, twice } from "./support/test.ts";

test(
  "Review This Show without a session shows one toast, which is announced, takes no focus and leaves by Escape",
  once,
  async ({ page, list, visit }) => {
    await visit("/");
    const region = list.toasts.locator("[aria-live]");
    await expect(region).toHaveAttribute("aria-live", "polite");
    const toast = list.messages;
    const button = list.card("Sit Back").getByRole("button", { name: "Review This Show" });
    for (const title of ["Moth Hour", "Sit Back"]) {
      await list.card(title).getByRole("button", { name: "Review This Show" }).click();
    }
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
      await list.card("Moth Hour").getByRole("link", { name: "Share", exact: true }).click();
      await expect(toast).toHaveCount(2);
      await button.focus();
      await page.keyboard.press("Escape");
      await expect(toast).toHaveCount(1);
      await expect(list.toasts).toContainText("Sign in required");
      await expect(button).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(toast).toHaveCount(0);
    });
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
  // A list without reviews: no request of its page is under way that the clock could end.
  await visit("/?search=haggis");
  await pauseClock(page);
  await list.card("100% Haggis").getByRole("button", { name: "Review This Show" }).click();
  const toast = list.messages;
  await page.clock.runFor(6_000);
  await expect(toast).toBeVisible();
  await toast.hover();
  await page.clock.runFor(60_000);
  await expect(toast).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(60_000);
  await expect(toast).toHaveCount(0);
});

test("a toast does not cover the focus", twice, async ({ page, list, visit }) => {
  await visit("/?search=moth");
  const button = list.card("Moth Hour").getByRole("button", { name: "Review This Show" });
  const { width } = page.viewportSize() ?? { width: 0 };
  // A window at whose end the button stands.
  const bottom = await button.evaluate((node) => node.getBoundingClientRect().bottom + window.scrollY);
  await page.setViewportSize({ width, height: Math.ceil(bottom) });
  await button.click();
  await expect(list.messages).toBeInViewport({ ratio: 1 });
  await expect(button).toBeFocused();
  await expectOnTop(button);
  await list.messages.getByRole("button", { name: "Dismiss notification" }).click();
  await expect(button).toBeInViewport({ ratio: 1 });
});
