import { createOtherBuild, type OtherBuild } from "../support/other-build.ts";
import { test } from "./support/accounts.ts";
import { expect, soak, untilInteractive } from "./support/test.ts";

let other: OtherBuild;
test.beforeAll(async () => {
  other = await createOtherBuild("b");
});
test.afterEach(({ environment }) => environment.upgrade());
test.afterAll(() => other.remove());

test(
  "an upgrade lets new pages load, and open ones search and sign in without a reload",
  soak,
  async ({ page, context, ui, email, environment, visit }) => {
    await visit("/");
    await page.evaluate(() => document.documentElement.classList.add("before-upgrade"));
    await environment.addServer(other.program);
    const second = await context.newPage();
    // Old and new servers take turns.
    for (let number = 1; number <= 4; number++) {
      await second.goto(`/?page=${number}`);
      await untilInteractive(second);
    }
    await second.close();
    await environment.upgrade(other.program);
    await ui.searchBox.fill("evening");
    await expect(page).toHaveURL(/search=evening/);
    await expect(page.locator("html.before-upgrade")).toHaveCount(1);
    const script = page.waitForResponse(/auth-js-client-/);
    await ui.signInButton.click();
    const response = await script;
    expect(response.status()).toBe(200);
    expect(other.files).not.toContain(new URL(response.url()).pathname.replace("/assets/", ""));
    await expect(page).toHaveTitle(/Google/);
    await ui.submitAccount(email);
    await expect(ui.email(email)).toBeVisible();
  },
);
