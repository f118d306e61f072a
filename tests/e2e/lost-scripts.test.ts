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

test("a press waits for the script of reviewing", async ({ page, context, ui, email, visit, problems }) => {
  problems.allow(/INTERNET_DISCONNECTED/, /^console error: Your reviews could not be loaded/);
  const arrives = Promise.withResolvers<void>();
  await page.route(/\/dialogs-[^/]*\.js$/, (route) => arrives.promise.then(() => route.continue()));
  await ui.signIn(email);
  await visit("/?search=matinee+1");
  const button = ui.reviewButton(ui.card("Matinee 14"));
  await button.click();
  arrives.resolve();
  await expect(page.getByRole("dialog", { name: "Review: Matinee 14" })).toBeVisible();
  await context.setOffline(true);
  await ui.cancel.click();
  await expect(button).toBeFocused();
  await ui.reviewButton(ui.card("Matinee 13")).click();
  await expect(page.getByRole("dialog", { name: "Review: Matinee 13" })).toBeVisible();
});

test("a lost script of reviewing is asked for again", async ({ page, ui, email, visit, problems }) => {
  problems.allow(/\/dialogs-/, /^console error: (Failed to load|Reviewing could not be loaded)/);
  await page.route(/\/dialogs-[^/?]*\.js$/, (route) => route.abort("internetdisconnected"));
  const failed = page.waitForEvent("requestfailed");
  await ui.signIn(email);
  await visit("/?search=moth");
  await failed;
  await page.route(/\/dialogs-/, (route) => route.abort("internetdisconnected"));
  const button = ui.reviewButton(ui.card("Moth Hour"));
  // The second loss: the page reloads itself, and loses the script again.
  const reloaded = page.waitForEvent("load");
  await button.click();
  await reloaded;
  await untilInteractive(page);
  await button.click();
  const toast = ui.toasts.getByRole("alert");
  await expect(toast.getByText("This could not be loaded. Please try again.")).toBeVisible();
  await page.unrouteAll();
  await button.click();
  await expect(ui.dialog).toBeVisible();
  await expect(toast).toHaveCount(0);
});
