import type { Route } from "@playwright/test";
import { test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";

const signInScript = /\/auth-js-client[^/]*\.js$/;
const loseConnection = (route: Route) => route.abort("internetdisconnected");

test.describe("when the script of signing in fails to load", () => {
  test.beforeEach(({ problems }) =>
    problems.allow(
      /\/auth-js-client/,
      /^console error: (Failed to (load|fetch)|.*could not be loaded|The session cannot be refreshed)/,
    ),
  );

  test("the second click on Sign In reloads the page, but only once", async ({ page, ui, visit }) => {
    await page.route(signInScript, loseConnection);
    await visit("/");
    await page.evaluate(() => document.documentElement.classList.add("marked"));
    await ui.signInButton.click();
    await expect(ui.toasts.getByRole("alert")).toContainText("Sign in failedPlease try again.");
    await expect(page.locator("html.marked")).toHaveCount(1);
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
    await page.unroute(signInScript);
    await ui.signInButton.click();
    await expect(page).toHaveTitle(/Google/);
  });

  test("Sign Out works", async ({ page, ui, email, visit, problems }) => {
    // The user's own reviews may still be loading when the session ends.
    problems.allow(/^401: .*\/api\/reviews\/mine/);
    await ui.signIn(email);
    const lost = page.waitForEvent("requestfailed", (request) => signInScript.test(request.url()));
    await page.route(signInScript, loseConnection);
    await visit("/");
    await lost;
    // Chromium must behave like Firefox, which never requests a script again that failed.
    const reloaded = page.waitForEvent("load");
    await ui.signOutButton.click();
    await reloaded;
    await page.unroute(signInScript);
    await untilInteractive(page);
    await ui.signOutButton.click();
    await expect(ui.signInButton).toBeVisible();
  });
});
