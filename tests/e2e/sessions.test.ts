import type { Page } from "@playwright/test";
import { SESSION_KEY } from "../../src/auth/ui/session/session-store.ts";
import { callAuth } from "../support/accounts.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const REFRESH_URL = "**/auth/v1/token?grant_type=refresh_token";

/** In ms: how often auth-js checks whether it must refresh. */
const REFRESH_TICK = 30_000;

/** Without reviews, no request for notes is in flight when the clock jumps. */
const QUIET_LIST = "/?search=haggis";

/** A clock that jumps would be ahead of later sessions, and each tab would refresh them at once. */
async function expireStoredSession(page: Page | undefined): Promise<void> {
  await page?.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? "");
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) }));
  }, SESSION_KEY);
}

test("all tabs agree after one signs in or out", async ({ page, ui, email, context, visit, environment }) => {
  await visit("/");
  const second = await context.newPage();
  const secondAccounts = uiOf(second);
  await second.goto("/?search=tea");
  await expect(secondAccounts.signInButton).toBeVisible();
  const third = await context.newPage();
  await third.goto("/auth");
  const loaded = [secondAccounts.waitForReviewedResponse(), uiOf(third).waitForReviewedResponse()];
  await ui.signInByPages(email);
  await Promise.all(loaded);
  await expect(secondAccounts.email(email)).toBeVisible();
  await expect(third).toHaveURL("/");
  await expect(uiOf(third).email(email)).toBeVisible();
  const session = await storedSession(context, environment.origin);
  await secondAccounts.signOutButton.click();
  for (const tab of [page, second, third]) await expect(uiOf(tab).signInButton).toBeVisible();
  const token = session?.access_token ?? "";
  expect((await callAuth(environment.origin, "/user", { token })).status).toBe(403);
});

test("a session lasts until it is ended", async ({ page, ui, email, context, environment, problems }) => {
  problems.expect(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  await ui.openSignedIn(email, QUIET_LIST);
  const refreshToken = async () => (await storedSession(context, environment.origin))?.refresh_token;
  async function expire(): Promise<void> {
    await expireStoredSession(page);
    await page.clock.fastForward(REFRESH_TICK);
  }

  const before = await refreshToken();
  let lost = 0;
  await page.route(REFRESH_URL, async (route) => {
    if (lost++ > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await expire();
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return refreshToken();
    })
    .not.toBe(before);
  expect(lost).toBeGreaterThan(2);
  await expect(ui.email(email)).toBeVisible();
  await page.unrouteAll();
  await environment.database.db.deleteFrom("users").where("email", "=", email).execute();
  problems.expect(/^400: .*grant_type=refresh_token/, /^console error: .*400/);
  await expire();
  await expect(ui.signInButton).toBeVisible();
  expect(await storedSession(context, environment.origin)).toBeNull();
});
