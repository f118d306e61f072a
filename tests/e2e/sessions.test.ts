import type { BrowserContext, Page } from "@playwright/test";
import { accountsOf, storedSession, test } from "./support/accounts.ts";
import { expect, once } from "./support/test.ts";

const refreshing = "**/auth/v1/token?grant_type=refresh_token";

/** Just before a session of an hour is to be refreshed. */
const NEARLY_AN_HOUR = 59 * 60_000;

/** Moves the page's clock on until its token is to be refreshed; resolves when the session has other tokens. */
async function untilRefreshed(page: Page, origin: string): Promise<void> {
  const before = await storedSession(page.context(), origin);
  const answer = page.waitForResponse(refreshing);
  await page.clock.fastForward(NEARLY_AN_HOUR);
  expect((await answer).status()).toBe(200);
  await expect
    .poll(async () => (await storedSession(page.context(), origin))?.refresh_token)
    .not.toBe(before?.refresh_token);
}

/** Opens the list in further tabs, whose clocks the test moves. */
async function openTabs(context: BrowserContext, count: number): Promise<Page[]> {
  const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()));
  for (const tab of tabs) {
    await tab.clock.install();
    await tab.goto("/");
    await accountsOf(tab).signOutButton.waitFor();
  }
  return tabs;
}

test("a reload keeps the session", once, async ({ page, accounts, email, context, world }) => {
  await accounts.openSignedIn(email);
  const before = await storedSession(context, world.origin);
  for (let time = 0; time < 3; time++) {
    await page.reload();
    await expect(accounts.email(email)).toBeVisible();
  }
  expect(await storedSession(context, world.origin)).toEqual(before);
});

test("two tabs agree, whichever signs in or out", once, async ({ page, accounts, email, context, visit, world }) => {
  await visit("/");
  const second = await context.newPage();
  const there = accountsOf(second);
  await second.goto("/?search=tea");
  await expect(there.signInButton).toBeVisible();
  const third = await context.newPage();
  await third.goto("/auth");

  const asked = [there.askedForReviewed(), accountsOf(third).askedForReviewed()];
  await accounts.signInByPages(email);
  await Promise.all(asked);
  await expect(there.email(email)).toBeVisible();
  await expect(third).toHaveURL("/");
  await expect(accountsOf(third).email(email)).toBeVisible();
  const session = await storedSession(context, world.origin);

  await there.signOutButton.click();
  for (const tab of [page, second, third]) await expect(accountsOf(tab).signInButton).toBeVisible();
  const gone = await fetch(`${world.origin}/auth/v1/user`, {
    headers: { apikey: "front-row-public", Authorization: `Bearer ${session?.access_token}` },
  });
  expect([gone.status, (await gone.json()).error_code]).toEqual([403, "session_not_found"]);
  const { id = "" } = session?.user ?? {};
  expect(await world.database.db.selectFrom("sessions").where("user_id", "=", id).selectAll().execute()).toEqual([]);
});

test(
  "signing out ends the sessions of other browsers, too",
  once,
  async ({ accounts, email, browser, world, problems }) => {
    await accounts.openSignedIn(email);
    const elsewhere = await browser.newContext({ baseURL: world.origin });
    const other = accountsOf(await elsewhere.newPage());
    await other.openSignedIn(email);
    await other.signOutButton.click();
    await other.signInButton.waitFor();
    await elsewhere.close();
    // This one learns it at the server's next answer: signing out of a session that is gone is signed out as well.
    problems.expect(/^403: .*\/logout/, /^console error: .*403/);
    await accounts.signOutButton.click();
    await expect(accounts.signInButton).toBeVisible();
  },
);

test("a token that expires is refreshed in the background", once, async ({ page, accounts, email, world }) => {
  await page.clock.install();
  await accounts.openSignedIn(email);
  await untilRefreshed(page, world.origin);
  await expect(accounts.email(email)).toBeVisible();
});

test(
  "a phone that slept for days is still signed in when it wakes",
  once,
  async ({ page, accounts, email, context, world }) => {
    await accounts.openSignedIn(email);
    const before = await storedSession(context, world.origin);
    await page.goto("about:blank");
    await page.clock.install({ time: Date.now() + 5 * 24 * 60 * 60_000 });
    const answer = page.waitForResponse(refreshing);
    await page.goto(`${world.origin}/`);
    await expect(accounts.email(email)).toBeVisible();
    expect((await answer).status()).toBe(200);
    await expect
      .poll(async () => (await storedSession(context, world.origin))?.refresh_token)
      .not.toBe(before?.refresh_token);
  },
);

test(
  "a refresh whose answer is lost on the wire signs nobody out",
  once,
  async ({ page, accounts, email, context, world, problems }) => {
    await page.clock.install();
    await accounts.openSignedIn(email);
    const before = await storedSession(context, world.origin);
    problems.expect(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
    let lost = 0;
    await page.route(refreshing, async (route) => {
      if (lost++ > 1) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    await page.clock.fastForward(NEARLY_AN_HOUR);
    await expect
      .poll(async () => {
        await page.clock.runFor(1_000);
        return (await storedSession(context, world.origin))?.refresh_token;
      })
      .not.toBe(before?.refresh_token);
    expect(lost).toBeGreaterThan(2);
    await expect(accounts.email(email)).toBeVisible();
    await page.reload();
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "without any signal an expired session stays, and goes on when the signal is back",
  once,
  async ({ page, accounts, email, problems }) => {
    await page.clock.install();
    await accounts.openSignedIn(email);
    problems.allow(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
    await page.route(refreshing, (route) => route.abort("internetdisconnected"));
    await page.clock.fastForward(2 * NEARLY_AN_HOUR);
    await page.clock.runFor(60_000);
    await expect(accounts.email(email)).toBeVisible();
    await page.unrouteAll();
    const answer = page.waitForResponse(refreshing);
    await page.clock.runFor(120_000);
    expect((await answer).status()).toBe(200);
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "three tabs that refresh at once, at two server processes, all stay signed in",
  once,
  async ({ accounts, email, context, world }) => {
    await accounts.signIn(email);
    const tabs = await openTabs(context, 3);
    for (let round = 1; round <= 3; round++) {
      const before = await storedSession(context, world.origin);
      const answers = tabs.map((tab) => tab.waitForResponse(refreshing));
      // All of them ask with the same token: none gets an answer before each has asked.
      const asked = Array.from(tabs, () => Promise.withResolvers<void>());
      for (const [index, tab] of tabs.entries()) {
        await tab.route(refreshing, async (route) => {
          asked[index]?.resolve();
          await Promise.all(asked.map(({ promise }) => promise));
          await route.continue();
        });
      }
      await Promise.all(tabs.map((tab) => tab.clock.fastForward(NEARLY_AN_HOUR)));
      for (const answer of await Promise.all(answers)) expect(answer.status()).toBe(200);
      for (const tab of tabs) await tab.unrouteAll({ behavior: "wait" });
      for (const tab of tabs) await expect(accountsOf(tab).email(email)).toBeVisible();
      await expect
        .poll(async () => (await storedSession(context, world.origin))?.refresh_token)
        .not.toBe(before?.refresh_token);
    }
    for (const tab of tabs) {
      await tab.reload();
      await expect(accountsOf(tab).email(email)).toBeVisible();
    }
  },
);

test(
  "kill -9 and a restart of the servers sign nobody out",
  once,
  async ({ page, accounts, email, world, problems }) => {
    // The reviews that a page just opened asks for may come to nobody.
    problems.allow(/\/api\/reviews/, /^console error: (Failed to load resource|.*eviews could not be loaded)/);
    await page.clock.install();
    await accounts.openSignedIn(email);
    await world.restart();
    await untilRefreshed(page, world.origin);
    await page.reload();
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "a session that the server has ended is over in the browser at its next refresh",
  once,
  async ({ page, accounts, email, context, world, problems }) => {
    await page.clock.install();
    await accounts.openSignedIn(email);
    await world.database.db.deleteFrom("users").where("email", "=", email).execute();
    problems.expect(/^400: .*grant_type=refresh_token/, /^console error: .*400/);
    await page.clock.fastForward(2 * NEARLY_AN_HOUR);
    await expect(accounts.signInButton).toBeVisible();
    expect(await storedSession(context, world.origin)).toBeNull();
  },
);
