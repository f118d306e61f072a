import type { Page, Route } from "@playwright/test";
import { test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";

const signInScript = /\/auth-js-client[^/]*\.js$/;
const loseConnection = (route: Route) => route.abort("internetdisconnected");

/**
 * Makes Chromium behave as Firefox does: as long as the page is open, the script of signing in does not come
 * after it failed once. Resolves when the page has reloaded itself.
 */
async function reloadedAfterLoss(page: Page, press: () => Promise<void>): Promise<void> {
  const reloaded = page.waitForEvent("load");
  await press();
  await reloaded;
  await page.unroute(signInScript);
  await untilInteractive(page);
}

test.describe("after a lost request for the script of signing in", () => {
  test.beforeEach(({ problems }) =>
    problems.allow(
      /\/auth-js-client/,
      /^console error: (Failed to (load|fetch)|.*could not be loaded|The session cannot be refreshed)/,
    ),
  );

  test("the second press of Sign In reloads the page, and the third works", async ({
    page,
    ui,
    email,
    visit,
  }) => {
    await page.route(signInScript, loseConnection);
    await visit("/");
    await page.evaluate(() => document.documentElement.classList.add("marked"));
    await ui.signInButton.click();
    await expect(ui.toasts.getByRole("alert")).toContainText("Sign in failedPlease try again.");
    await expect(page.locator("html.marked")).toHaveCount(1);
    await reloadedAfterLoss(page, () => ui.signInButton.click());
    await ui.signInButton.click();
    await ui.submitAccount(email);
    await expect(ui.email(email)).toBeVisible();
  });

  test("Sign Out works", async ({ page, ui, email, visit, problems }) => {
    // The user's own reviews may still be loading when the session ends.
    problems.allow(/^401: .*\/api\/reviews\/mine/);
    await ui.signIn(email);
    const lost = page.waitForEvent("requestfailed", (request) => signInScript.test(request.url()));
    await page.route(signInScript, loseConnection);
    await visit("/");
    await lost;
    await reloadedAfterLoss(page, () => ui.signOutButton.click());
    await ui.signOutButton.click();
    await expect(ui.signInButton).toBeVisible();
  });

  test("a page reloads itself in vain only once", async ({ page, ui, visit }) => {
    await page.route(signInScript, loseConnection);
    await visit("/");
    await ui.signInButton.click();
    await expect(ui.toasts.getByRole("alert")).toHaveCount(1);
    const reloaded = page.waitForEvent("load");
    await ui.signInButton.click();
    await reloaded;
    await untilInteractive(page);
    let documents = 0;
    page.on("response", (response) => response.request().resourceType() === "document" && documents++);
    for (let press = 0; press < 2; press++) {
      const asked = page.waitForResponse(/\/assets\/manifest-/);
      await ui.signInButton.click();
      await asked;
    }
    await expect(ui.toasts.getByRole("alert")).toContainText("Please try again.");
    expect(documents).toBe(0);
  });
});
