import type { BrowserContext, Page } from "@playwright/test";
import { SESSION_KEY } from "../../src/auth/ui/session/session-store.ts";
import { storedSession, test } from "./support/accounts.ts";
import { pauseClock } from "./support/pause-clock.ts";
import { expect, soak, soakUnless } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const REFRESH_URL = "**/auth/v1/token?grant_type=refresh_token";

/** In ms. This close to an access token's expiry, auth-js refreshes it (docs/product.md §6.12). */
const NEARLY_AN_HOUR = 59 * 60_000;

/** How often auth-js looks whether it must refresh, in ms. */
const REFRESH_TICK = 30_000;

/**
 * A list without reviews, for whose notes the page does not ask: what is under way when the clock leaps is
 * ended by its time limit.
 */
const QUIET_LIST = "/?search=haggis";

/** Advances the page's clock until auth-js refreshes; resolves when the session has new tokens. */
async function untilRefreshed(page: Page, origin: string): Promise<void> {
  const before = await storedSession(page.context(), origin);
  const response = page.waitForResponse(REFRESH_URL);
  await page.clock.fastForward(NEARLY_AN_HOUR);
  expect((await response).status()).toBe(200);
  await expect
    .poll(async () => (await storedSession(page.context(), origin))?.refresh_token)
    .not.toBe(before?.refresh_token);
}

/**
 * Lets the session expire. A clock that leaps would do so, but then be ahead of the sessions to come: each
 * tab would refresh them again at once.
 */
async function expireStoredSession(page: Page | undefined): Promise<void> {
  await page?.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? "");
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) }));
  }, SESSION_KEY);
}

/** Opens the list in new tabs, whose clock is paused then. */
async function openTabs(context: BrowserContext, count: number): Promise<Page[]> {
  // One clock for all tabs.
  await context.clock.install();
  const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()));
  for (const tab of tabs) {
    const reviewed = uiOf(tab).waitForReviewedResponse();
    await tab.goto(QUIET_LIST);
    await reviewed;
    await uiOf(tab).signOutButton.waitFor();
  }
  await pauseClock(context);
  return tabs;
}

test("a reload keeps the session", soak, async ({ page, ui, email, context, environment }) => {
  await ui.openSignedIn(email);
  const before = await storedSession(context, environment.origin);
  for (let reload = 0; reload < 3; reload++) {
    await page.reload();
    await expect(ui.email(email)).toBeVisible();
  }
  expect(await storedSession(context, environment.origin)).toEqual(before);
});

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
  const response = await fetch(`${environment.origin}/auth/v1/user`, {
    headers: { apikey: "front-row-public", Authorization: `Bearer ${session?.access_token}` },
  });
  expect([response.status, (await response.json()).error_code]).toEqual([403, "session_not_found"]);
  const { id = "" } = session?.user ?? {};
  expect(
    await environment.database.db.selectFrom("sessions").where("user_id", "=", id).selectAll().execute(),
  ).toEqual([]);
});

test(
  "signing out ends the sessions of other browsers, too",
  soak,
  async ({ ui, email, browser, environment, problems }) => {
    await ui.openSignedIn(email);
    const otherContext = await browser.newContext({ baseURL: environment.origin });
    const other = uiOf(await otherContext.newPage());
    await other.openSignedIn(email);
    await other.signOutButton.click();
    await other.signInButton.waitFor();
    await otherContext.close();
    // This browser does not know yet: its sign-out gets a 403, which also means signed out.
    problems.expect(/^403: .*\/logout/, /^console error: .*403/);
    await ui.signOutButton.click();
    await expect(ui.signInButton).toBeVisible();
  },
);

test("a user is still signed in after the device slept for days", async ({
  page,
  ui,
  email,
  context,
  environment,
}) => {
  await ui.openSignedIn(email);
  const before = await storedSession(context, environment.origin);
  await page.goto("about:blank");
  await page.clock.install({ time: Date.now() + 5 * 24 * 60 * 60_000 });
  const response = page.waitForResponse(REFRESH_URL);
  await page.goto(`${environment.origin}/`);
  await expect(ui.email(email)).toBeVisible();
  expect((await response).status()).toBe(200);
  await expect
    .poll(async () => (await storedSession(context, environment.origin))?.refresh_token)
    .not.toBe(before?.refresh_token);
});

test("a session is renewed, whatever is lost, until the server ends it", async ({
  page,
  ui,
  email,
  context,
  environment,
  problems,
}) => {
  problems.expect(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  await ui.openSignedIn(email, QUIET_LIST);
  const refreshToken = async () => (await storedSession(context, environment.origin))?.refresh_token;
  /** Lets auth-js notice that the session has expired. */
  async function expire(): Promise<void> {
    await expireStoredSession(page);
    await page.clock.fastForward(REFRESH_TICK);
  }

  await test.step("though the response is lost", async () => {
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
  });
  await test.step("when the network is back, and stays meanwhile", async () => {
    await page.route(REFRESH_URL, (route) => route.abort("internetdisconnected"));
    await expire();
    await page.clock.runFor(60_000);
    await expect(ui.email(email)).toBeVisible();
    await page.unrouteAll();
    const response = page.waitForResponse(REFRESH_URL);
    // Not by runFor, which ends a request after 15 s of its own time before it can be answered.
    await page.clock.fastForward(60_000);
    expect((await response).status()).toBe(200);
    await expect(ui.email(email)).toBeVisible();
  });
  await test.step("and a reload keeps it", async () => {
    const reviewed = ui.waitForReviewedResponse();
    await page.reload();
    await reviewed;
    await expect(ui.email(email)).toBeVisible();
  });
  await test.step("which the next refresh notices", async () => {
    await environment.database.db.deleteFrom("users").where("email", "=", email).execute();
    problems.expect(/^400: .*grant_type=refresh_token/, /^console error: .*400/);
    await expire();
    await expect(ui.signInButton).toBeVisible();
    expect(await storedSession(context, environment.origin)).toBeNull();
  });
});

test("an expiring access token is refreshed in the background", async ({ page, ui, email, environment }) => {
  await page.clock.install();
  await ui.openSignedIn(email, QUIET_LIST);
  await untilRefreshed(page, environment.origin);
  await expect(ui.email(email)).toBeVisible();
});

for (const [name, response] of [
  [
    "a bot check's page",
    { status: 403, contentType: "text/html", body: "<!doctype html><title>One moment</title>" },
  ],
  [
    "a captive portal's page",
    { status: 200, contentType: "text/html", body: "<!doctype html><title>Wi-Fi</title>" },
  ],
  ["a firewall's JSON", { status: 401, json: { code: "session_expired" } }],
  ["nothing", { status: 400, body: "" }],
] as const) {
  test(
    `an expired session stays while ${name} comes in place of its refresh`,
    soakUnless(name === "a firewall's JSON"),
    async ({ page, ui, email, context, environment, problems }) => {
      problems.allow(/^40[0-9]: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
      await page.clock.install();
      await ui.openSignedIn(email, QUIET_LIST);
      const before = await storedSession(context, environment.origin);
      const foreign = page.waitForResponse(REFRESH_URL);
      await page.route(REFRESH_URL, (route) => route.fulfill(response));
      await page.clock.fastForward(2 * NEARLY_AN_HOUR);
      await foreign;
      await page.clock.runFor(60_000);
      await expect(ui.email(email)).toBeVisible();
      expect(await storedSession(context, environment.origin)).toEqual(before);
      await page.unrouteAll();
      const refreshed = page.waitForResponse((answer) => /refresh_token/.test(answer.url()) && answer.ok());
      await page.clock.fastForward(60_000);
      await refreshed;
      await expect(ui.email(email)).toBeVisible();
    },
  );
}

test("three tabs that refresh at once, on two servers, all stay signed in", async ({
  ui,
  email,
  context,
  environment,
}) => {
  await ui.signIn(email);
  const tabs = await openTabs(context, 3);
  for (let round = 1; round <= 2; round++) {
    const before = await storedSession(context, environment.origin);
    const responses = tabs.map((tab) => tab.waitForResponse(REFRESH_URL));
    // All send the same refresh token: no request reaches a server before every tab has sent its own.
    const sent = Array.from(tabs, () => Promise.withResolvers<void>());
    for (const [index, tab] of tabs.entries()) {
      await tab.route(REFRESH_URL, async (route) => {
        sent[index]?.resolve();
        await Promise.all(sent.map(({ promise }) => promise));
        await route.continue();
      });
    }
    await expireStoredSession(tabs[0]);
    await context.clock.fastForward(REFRESH_TICK);
    for (const response of await Promise.all(responses)) {
      expect(response.status()).toBe(200);
      await response.finished();
    }
    for (const tab of tabs) await tab.unrouteAll({ behavior: "wait" });
    for (const tab of tabs) await expect(uiOf(tab).email(email)).toBeVisible();
    await expect
      .poll(async () => (await storedSession(context, environment.origin))?.refresh_token)
      .not.toBe(before?.refresh_token);
  }
  await context.clock.resume();
  for (const tab of tabs) {
    await tab.reload();
    await expect(uiOf(tab).email(email)).toBeVisible();
  }
});

test(
  "a user stays signed in when the servers are killed and restarted",
  soak,
  async ({ page, ui, email, environment, problems }) => {
    // The restart may interrupt the page's first requests, for reviews.
    problems.allow(
      /\/api\/reviews/,
      /^console error: (Failed to load resource|.*eviews could not be loaded)/,
    );
    await page.clock.install();
    await ui.openSignedIn(email, QUIET_LIST);
    await environment.restart();
    await untilRefreshed(page, environment.origin);
    await page.reload();
    await expect(ui.email(email)).toBeVisible();
  },
);
