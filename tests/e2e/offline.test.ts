import type { BrowserContext, Page } from "@playwright/test";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { SESSION_KEY } from "../../src/auth/ui/session/session-store.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { signIn } from "../support/accounts.ts";
import { givenRefresh } from "../support/given.ts";
import { readKept } from "../support/kept-offline.ts";
import { createOtherBuild } from "../support/other-build.ts";
import { createMigratedDatabase } from "../support/postgres-server.ts";
import { type SiteProcess, startSite } from "../support/site.ts";
import { expectAccessible } from "./support/axe.ts";
import { watchForProblems } from "./support/problems.ts";
import { showIdOf, writeProgramme } from "./support/programme.ts";
import { test as base, expect, phone, untilInteractive } from "./support/test.ts";
import { overflowOf, uiOf } from "./support/ui.ts";

interface OwnSite {
  start(variables?: Record<string, string>, program?: string): Promise<void>;
  stop(): Promise<void>;
  /** No network and no server. */
  cut(): Promise<void>;
}

/** With a site of its own, which a test can stop. */
const test = base.extend<{ own: OwnSite; port: string }>({
  port: async ({ browserName: _ }, use) => use(String(await freePort())),
  baseURL: async ({ port }, use) => use(`http://127.0.0.1:${port}`),
  own: async ({ port, problems, context }, use) => {
    problems.allow(/^failed: net::ERR_(INTERNET_DISCONNECTED|CONNECTION|FAILED|ABORTED)/);
    problems.allow(/^console error: (Shows|Reviews|Notes) could not be loaded|Failed to load resource/);
    await using running = new AsyncDisposableStack();
    const database = await createMigratedDatabase(process.env.TEST_POSTGRES ?? "");
    running.defer(database.close);
    await writeProgramme(database.db);
    await givenRefresh(database.db);
    let site: SiteProcess | undefined;
    const stop = async () => void (await site?.stop());
    const start = async (variables = {}, program?: string) => {
      site = await startSite({ DATABASE_URL: database.url, PORT: port, ...variables }, program);
    };
    running.defer(stop);
    await start();
    await use({ start, stop, cut: () => Promise.all([stop(), context.setOffline(true)]).then(() => {}) });
  },
});

test.use({ ...phone, serviceWorkers: "allow" });
test.describe.configure({ timeout: 120_000 });

const savedLine = (page: Page) => page.getByText(/^Saved for offline: \w{3} \d\d:\d\d$/);
const footerButton = (page: Page, name: string) =>
  page.getByRole("contentinfo").getByRole("button", { name, exact: true });
const NOTICE = /^No connection\. This list is from \w{3} \d\d:\d\d\.Try again$/;

const kept = (page: Page) => page.evaluate(readKept);

/** Afterwards the test moves the page's clock. */
async function visitUntilSaved(page: Page, visit: (address: string) => Promise<unknown>): Promise<void> {
  await page.clock.install();
  await visit("/");
  await page.clock.runFor(10_000);
  await expect(savedLine(page)).toBeVisible();
}

test("without signal one searches, filters, turns pages and reads of one show", async ({
  page,
  context,
  own,
  ui,
  visit,
}) => {
  await visit("/");
  await expect(savedLine(page)).toBeVisible();
  await own.cut();

  await page.reload();
  await untilInteractive(page);
  await expect(ui.notice).toHaveText(NOTICE);
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await expect(ui.titles.first()).toHaveText("Moth Hour");
  await expect(ui.card("Moth Hour").getByText("(1 review)", { exact: true })).toBeVisible();
  await ui.searchBox.fill("EVENING");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "EVENING"`);
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-24 of 24 shows for ${YEAR} matching "EVENING"`);
  await page.goBack();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "EVENING"`);
  await ui.searchBox.fill("");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-6 of 6 shows for ${YEAR}`);
  await page.getByRole("link", { name: "Announced in the listing" }).click();
  await expect(ui.titles).toHaveText(["Moth Hour"]);

  const tab = await context.newPage();
  await tab.addInitScript(() => {
    const { match } = CacheStorage.prototype;
    CacheStorage.prototype.match = async function (...args) {
      while (new URLSearchParams(location.search).has("search") && !("isSeen" in window))
        await new Promise(requestAnimationFrame);
      return match.apply(this, args);
    };
  });
  await tab.goto("/?search=human+pyramid");
  await test.step("the saved start page is marked as still loading", async () => {
    await expect(uiOf(tab).titles).toHaveCount(20);
    await expect(tab.getByText("Loading shows...").first()).toBeVisible();
    expect(await tab.locator(".stale").evaluate((list) => getComputedStyle(list).filter)).toContain(
      "opacity(0.5)",
    );
    await tab.evaluate(() => Object.assign(window, { isSeen: true }));
  });
  await expect(uiOf(tab).titles).toHaveText(["The Human Pyramid of Leith"]);
  await expect(tab.getByRole("searchbox")).toHaveValue("human pyramid");
  await tab.goto("/?yes=none");
  await expect(uiOf(tab).summary).toHaveText("No shows found");
  const show = `/?show=${showIdOf("Moth Hour")}`;
  for (const address of [show, `${show}&notes=yes`]) {
    await tab.goto(address);
    await expect(uiOf(tab).titles).toHaveText(["Moth Hour"]);
    await expect(tab.getByText("Notes need a connection.", { exact: true })).toBeVisible();
    await expect(tab.getByRole("alert")).toHaveText(NOTICE);
  }
  await tab.goto("/?show=of-another-year");
  await expect(uiOf(tab).notice).toHaveText("This show needs a connection.Try again");
  await expect(tab).toHaveTitle("Front Row? Edinburgh Fringe Festival Show Reviews");
  await expectAccessible(tab);
  await tab.close();

  await own.start();
  await context.setOffline(false);
  await expect(async () => {
    if (await ui.notice.isVisible()) await ui.tryAgain.click({ timeout: 500 });
    await expect(ui.notice).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await expect(ui.titles).toHaveText(["Moth Hour"]);
});

test("a list that is older than a day says so", async ({ page, own, ui, visit }) => {
  await visitUntilSaved(page, visit);
  await own.cut();
  await page.clock.setSystemTime(Date.now() + 2.5 * 86_400_000);
  await page.reload();
  await expect(ui.notice).toContainText("It is 2 days old.");
  await ui.searchBox.fill("evening");
  await page.clock.runFor(1_000);
  await expect(ui.summary).toContainText("evening");
  await page.goBack();
  await expect(ui.searchBox).toHaveValue("");
  await expect(ui.notice).toContainText("It is 2 days old.");
});

test("what was saved is removed, and stays so until it is wanted again", async ({ page, own: _, visit }) => {
  await visit("/");
  await footerButton(page, "Remove").click();
  expect((await footerButton(page, "Save for offline").boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expect(footerButton(page, "Save for offline")).toBeFocused();
  await expect.poll(() => kept(page)).toEqual({ paths: [], workers: 0 });
  await page.reload();
  await expect(footerButton(page, "Save for offline")).toBeVisible();
  expect(await kept(page)).toEqual({ paths: [], workers: 0 });
  await footerButton(page, "Save for offline").click();
  await expect(savedLine(page)).toBeVisible({ timeout: 30_000 });
  expect((await kept(page)).workers).toBe(1);
});

test("the site is updated while a saved page is open, which goes on, and the next one is of the new build", async ({
  page,
  context,
  own,
  ui,
  visit,
}) => {
  await visitUntilSaved(page, visit);
  const before = await kept(page);
  await own.cut();
  await page.reload();
  await expect(ui.notice).toHaveText(NOTICE);

  const other = await createOtherBuild("next");
  try {
    await own.start({}, other.program);
    await context.setOffline(false);
    await expect(ui.notice).toHaveCount(0);
    expect(await page.evaluate("window.otherBuild")).toBeUndefined();
    await page.clock.runFor(11 * 60_000);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(async () => (await kept(page)).paths).not.toEqual(before.paths);
    await expect.poll(async () => (await kept(page)).paths.length).toBe(before.paths.length);
    await own.cut();
  } finally {
    await other.remove();
  }
  await page.reload();
  await untilInteractive(page);
  await expect(ui.notice).toHaveText(NOTICE);
  expect(await page.evaluate("window.otherBuild")).toBe("next");
});

test("OFFLINE=0 removes the worker and what was saved, and a tab that is open stops saving", async ({
  page,
  own,
  visit,
}) => {
  await visitUntilSaved(page, visit);
  await own.stop();
  await own.start({ OFFLINE: "0" });
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await expect.poll(() => kept(page)).toEqual({ paths: [], workers: 0 });
  await page.clock.setSystemTime(Date.now() + 13 * 3_600_000);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(page.getByRole("contentinfo").getByRole("button")).toHaveCount(0);
  expect(await kept(page)).toEqual({ paths: [], workers: 0 });
  await visit("/?page=2");
  await page.clock.runFor(10_000);
  await expect(page.getByRole("contentinfo").getByRole("button")).toHaveCount(0);
});

test("a server that does not answer in time is as none, and is waited for once", async ({
  page,
  context,
  own: _,
  ui,
  visit,
}) => {
  await visitUntilSaved(page, visit);
  const asked: string[] = [];
  await context.route(/./, (route) => void asked.push(new URL(route.request().url()).pathname));
  await page.goto("/?search=evening", { waitUntil: "commit" });
  await expect(ui.notice).toHaveText(NOTICE);
  await expect(ui.titles.first()).toHaveText("Quiet Evening 1");
  expect(asked.filter((path) => path.startsWith("/assets/"))).toEqual([]);
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const [search, title] of [
    ["human", "The Human Pyramid of Leith"],
    ["moth", "Moth Hour"],
  ] as const) {
    await ui.searchBox.fill(search);
    await page.clock.runFor(1_000);
    await expect(ui.titles.first()).toHaveText(title);
  }
  await expect.poll(() => asked.filter((path) => path === "/api/shows").length).toBeGreaterThan(2);
});

const waitingOf = (page: Page) => page.getByRole("banner").getByText(/^\d+ not sent$/);

test("a review that waits survives a restart of the browser, and its author's one tab sends it once", async ({
  playwright,
  own,
  port,
}, testInfo) => {
  await using running = new AsyncDisposableStack();
  const baseURL = `http://127.0.0.1:${port}`;
  const providers = await startFakeIdentityProviders(baseURL);
  running.defer(providers.close);
  const startServer = () => own.start(providers.variables);
  await own.stop();
  await startServer();
  const author = await signIn(baseURL, "github", { email: "author@people.example" });
  const other = await signIn(baseURL, "github", { email: "other@people.example" });
  const options = { ...phone, baseURL, serviceWorkers: "allow" as const };
  let context: BrowserContext | undefined;
  running.defer(async () => void (await context?.close()));
  const open = async () => {
    await context?.close();
    const { launchOptions } = testInfo.project.use;
    context = await playwright.chromium.launchPersistentContext(testInfo.outputPath("browser"), {
      ...launchOptions,
      ...options,
    });
    return context;
  };
  const signInAs = (page: Page, session: unknown) =>
    page.evaluate(([key, value]) => localStorage.setItem(key, value), [
      SESSION_KEY,
      JSON.stringify(session),
    ] as const);

  const first = await open();
  const page = await first.newPage();
  const ui = uiOf(page);
  await page.goto("/");
  await signInAs(page, author);
  await page.reload();
  await ui.open(ui.card("Moth Hour"));
  await expect(savedLine(page)).toBeVisible();
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("Typed in a cellar.");
  await Promise.all([own.stop(), first.setOffline(true)]);
  await ui.submit.click();
  await expect(ui.toasts).toContainText("Failed to submit review. Please try again.");
  await page.getByRole("button", { name: "Send when I'm back online" }).click();
  await expect(ui.messages).toHaveText(/Not sent yet\s*It is sent when you are back online\./);
  await expect(ui.reviewButton(ui.card("Moth Hour"))).toBeFocused();
  await expect(waitingOf(page)).toHaveText("1 not sent");
  expect(await overflowOf(page)).toBe(0);
  await page.close();

  const second = await open();
  const problems = watchForProblems(second, baseURL);
  problems.allow(/^failed: net::ERR_(INTERNET_DISCONNECTED|CONNECTION|FAILED|ABORTED)/);
  problems.allow(/^console error: (Shows|Reviews|Notes|Your \w+) could not be |Failed to (load|fetch)/);
  await second.setOffline(true);
  const tab = await second.newPage();
  const restarted = uiOf(tab);
  await tab.goto("/");
  await expect(waitingOf(tab)).toHaveText("1 not sent");
  await tab.getByRole("button", { name: "Your reviews" }).click();
  const waiting = restarted.dialog.getByRole("listitem", { name: "Moth Hour" });
  await expect(waiting).toContainText("Not sent yet");
  await expect(waiting).toContainText("Typed in a cellar.");
  await expectAccessible(tab);
  await waiting.getByRole("button", { name: "Change" }).click();
  await expect(restarted.notes).toHaveValue("Typed in a cellar.");
  await restarted.cancel.click();
  await restarted.signOutButton.click();
  await expect(restarted.dialog).toHaveAccessibleName("1 review is not sent yet. Sign out anyway?");
  await expectAccessible(tab);
  await restarted.cancel.click();
  await expect(restarted.signOutButton).toBeFocused();

  await test.step("not by another account", async () => {
    await signInAs(tab, other);
    await startServer();
    await second.setOffline(false);
    const loaded = restarted.waitForReviewedResponse();
    await tab.reload();
    await loaded;
    await expect(waitingOf(tab)).toHaveCount(0);
    await Promise.all([own.stop(), second.setOffline(true)]);
    await signInAs(tab, author);
  });

  const tabs = [tab, await second.newPage()];
  for (const each of tabs) {
    await each.goto("/");
    await expect(waitingOf(each)).toHaveText("1 not sent");
  }
  const released = Promise.withResolvers<void>();
  const sent: unknown[] = [];
  await second.route("**/api/reviews", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    sent.push(route.request().postDataJSON());
    await released.promise;
    await route.continue();
  });
  await startServer();
  await second.setOffline(false);
  await expect.poll(() => sent.length).toBe(1);
  for (const each of tabs) await each.evaluate(() => window.dispatchEvent(new Event("online")));
  for (const each of tabs) await expect(waitingOf(each)).toHaveText("1 not sent");
  released.resolve();
  for (const each of tabs) await expect(waitingOf(each)).toHaveCount(0);
  const notes = "Typed in a cellar.";
  const review = {
    user_id: author.user.id,
    show_id: showIdOf("Moth Hour"),
    audience_interaction: "yes",
    notes,
  };
  expect(sent).toEqual([review]);
  const stored = await fetch(`${baseURL}/api/reviews/mine`, {
    headers: { apikey: "front-row-public", Authorization: `Bearer ${author.access_token}` },
  });
  expect(await stored.json()).toMatchObject({ reviews: [review], total: 1 });
  const thanked = await Promise.all(tabs.map((each) => each.getByText("Review submitted!").count()));
  expect(thanked.toSorted()).toEqual([0, 1]);
  expect(problems.unexpected()).toEqual([]);
});
