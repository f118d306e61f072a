import { storedSession, test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const begunElsewhere = /Sign in failed\s*Please finish signing in in the browser where you began\./;

test("a sign-in ended in another browser fails", async ({ page, email, browser, environment, problems }) => {
  problems.allow(/^elsewhere: /);
  const otherContext = await browser.newContext({ baseURL: environment.origin });
  const other = await otherContext.newPage();
  await uiOf(other).openSignedIn(`other-${email}`);
  const before = await storedSession(otherContext, environment.origin);
  await page.goto("/auth");
  await uiOf(page).continueWith("GitHub").click();
  await expect(page).toHaveTitle(/GitHub/);
  await other.goto(page.url());
  const returned = other.waitForRequest((request) => request.url().includes("sb_flow_id"));
  await uiOf(other).submitAccount(email);
  await returned;
  const toast = uiOf(other).toasts.getByRole("alert");
  await expect(toast).toHaveText(begunElsewhere);
  await expect(other).toHaveURL("/");
  await expect(uiOf(other).email(`other-${email}`)).toBeVisible();
  expect(await storedSession(otherContext, environment.origin)).toEqual(before);
  await test.step("but not when that page is reloaded", async () => {
    await other.reload();
    await untilInteractive(other);
    await expect(toast).toHaveCount(0);
  });
  await otherContext.close();
});
