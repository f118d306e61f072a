import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";

/** As after an upgrade. Returns a function that brings them back. */
async function removeScripts(page: Page, name: string): Promise<() => Promise<void>> {
  const gone = new RegExp(`/assets/(files-[^/]*\\.json|${name}-[^/]*\\.js)$`);
  await page.route(gone, (route) => route.fulfill({ status: 404, contentType: "text/html", body: "Gone" }));
  return () => page.unroute(gone);
}

function countDocuments(page: Page): () => number {
  let count = 0;
  page.on("response", (response) => {
    if (response.request().resourceType() === "document") count++;
  });
  return () => count;
}

test.beforeEach(({ problems }) =>
  problems.allow(
    /^404: .*\/assets\//,
    /^console error: (Failed to load resource|TypeError: Failed to fetch)/,
    /^console error: .*(dynamically imported module|could not be loaded|The session cannot be refreshed)/,
    /^failed: net::ERR_(ABORTED|INTERNET_DISCONNECTED)/,
  ),
);

test("Sign In of an outdated page reloads it once", async ({ page, ui, visit }) => {
  await visit("/?search=evening");
  const restore = await removeScripts(page, "auth-js-client");
  const documents = countDocuments(page);
  const reloaded = page.waitForEvent("load");
  await ui.signInButton.click();
  await reloaded;
  await untilInteractive(page);
  expect(documents()).toBe(1);
  await expect(page).toHaveURL(/\?search=evening$/);
  await expect(ui.searchBox).toHaveValue("evening");
  await test.step("and says so if the reload did not help", async () => {
    await ui.signInButton.click();
    const notice = ui.messages.filter({ hasText: "The site was updated" });
    await expect(notice).toContainText("Please reload the page. What you typed is kept.");
    expect(documents()).toBe(1);
    await restore();
    const reloadedAgain = page.waitForEvent("load");
    await notice.getByRole("button", { name: "Reload", exact: true }).click();
    await reloadedAgain;
    await untilInteractive(page);
    expect(documents()).toBe(2);
  });
  await ui.signInButton.click();
  await expect(page).toHaveTitle(/Google/);
});

test("the list needs no script that an outdated sign-in page has not loaded", async ({ page, ui, visit }) => {
  await visit("/auth");
  await removeScripts(page, ".*");
  await page.getByRole("link", { name: "Front Row?" }).click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
});

test("a page that arrives without a script reloads once, and stays readable", async ({ page, ui }) => {
  await removeScripts(page, "site");
  const documents = countDocuments(page);
  await page.goto("/?search=evening");
  await expect.poll(documents).toBe(2);
  await page.waitForLoadState("networkidle");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-24 of 24 shows for ${YEAR} matching "evening"`);
  await expect.poll(documents).toBe(4);
});

test("where the script of signing in fails, the second click reloads the page, once", async ({
  page,
  ui,
  visit,
}) => {
  const script = /\/auth-js-client[^/]*\.js$/;
  await page.route(script, (route) => route.abort("internetdisconnected"));
  await visit("/");
  const documents = countDocuments(page);
  await ui.signInButton.click();
  await expect(ui.toasts.getByRole("alert")).toContainText("Sign in failedPlease try again.");
  expect(documents()).toBe(0);
  const reloaded = page.waitForEvent("load");
  await ui.signInButton.click();
  await reloaded;
  await untilInteractive(page);
  for (let press = 0; press < 2; press++) {
    const asked = page.waitForResponse(/\/assets\/files-/);
    await ui.signInButton.click();
    await asked;
  }
  await expect(ui.toasts.getByRole("alert")).toContainText("Please try again.");
  expect(documents()).toBe(1);
  await page.unroute(script);
  await ui.signInButton.click();
  await expect(page).toHaveTitle(/Google/);
});
