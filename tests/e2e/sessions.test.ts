import { SESSION_KEY } from "../../src/auth/ui/session/session-store.ts";
import { callAuth, signIn } from "../support/accounts.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const REFRESH_URL = "**/auth/v1/token?grant_type=refresh_token";

/** In ms: how often auth-js checks whether it must refresh. */
const REFRESH_TICK = 30_000;

test("tabs follow one that signs in or out", async ({ page, ui, email, context, visit, environment }) => {
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
  const elsewhere = await signIn(environment.origin, "google", { email });
  await second.getByRole("button", { name: "Your reviews", exact: true }).click();
  const everywhere = secondAccounts.dialog.getByRole("button", { name: "Sign out everywhere" });
  await expect(everywhere).toHaveAccessibleDescription("2 sessions");
  await everywhere.press("Enter");
  for (const tab of [page, second, third]) await expect(uiOf(tab).signInButton).toBeVisible();
  for (const token of [session?.access_token ?? "", elsewhere.access_token])
    expect((await callAuth(environment.origin, "/user", { token })).status).toBe(403);
});

test("lost responses do not end a session", async ({ page, ui, email, context, environment, problems }) => {
  problems.expect(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  // Without reviews, no request for notes is in flight when the clock jumps.
  await ui.openSignedIn(email, "/?search=haggis");
  const refreshToken = async () => (await storedSession(context, environment.origin))?.refresh_token;
  const before = await refreshToken();
  let lost = 0;
  await page.route(REFRESH_URL, async (route) => {
    if (lost++ > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  // A clock that jumps would be ahead of later sessions, and each tab would refresh them at once.
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? "");
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) }));
  }, SESSION_KEY);
  await page.clock.fastForward(REFRESH_TICK);
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000);
      return refreshToken();
    })
    .not.toBe(before);
  expect(lost).toBeGreaterThan(2);
  await expect(ui.email(email)).toBeVisible();
});
