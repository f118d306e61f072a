import { createOtherBuild, type OtherBuild } from "../support/other-build.ts";
import { test } from "./support/accounts.ts";
import { expect, soak, untilInteractive } from "./support/test.ts";

let other: OtherBuild;
test.beforeAll(async () => {
  other = await createOtherBuild("b");
});
test.afterEach(({ environment }) => environment.upgrade());
test.afterAll(() => other.remove());

/** Marks the document, so that a reload would show. */
const MARK = "markedBeforeUpgrade";

test("an upgrade lets open pages sign in without a reload", async ({
  page,
  ui,
  email,
  environment,
  visit,
}) => {
  await visit("/");
  await environment.upgrade(other.program);
  const script = page.waitForResponse(/auth-js-client-/);
  await ui.signInButton.click();
  const response = await script;
  expect(response.status()).toBe(200);
  expect(other.files).not.toContain(new URL(response.url()).pathname.replace("/assets/", ""));
  await expect(page).toHaveTitle(/Google/);
  await ui.submitAccount(email);
  await expect(ui.email(email)).toBeVisible();
});

test(
  "a page that was open during an upgrade searches without a reload",
  soak,
  async ({ page, environment, visit, ui }) => {
    await visit("/");
    await page.evaluate((mark) => document.documentElement.classList.add(mark), MARK);
    await environment.upgrade(other.program);
    await ui.searchBox.fill("evening");
    await expect(page).toHaveURL(/search=evening/);
    await expect(page.locator(`html.${MARK}`)).toHaveCount(1);
  },
);

test(
  "pages are interactive while old and new servers take turns",
  soak,
  async ({ page, environment, visit }) => {
    await environment.addServer(other.program);
    for (let visits = 0; visits < 8; visits++) {
      await visit(`/?page=${1 + (visits % 2)}`);
      await untilInteractive(page);
    }
  },
);
