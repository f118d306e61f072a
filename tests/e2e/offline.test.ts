import type { Page } from "@playwright/test";
import { freePort } from "../../dev/harness/free-port.ts";
import { givenRefresh } from "../support/given.ts";
import { createMigratedDatabase } from "../support/postgres-server.ts";
import { type SiteProcess, startSite } from "../support/site.ts";
import { expectAccessible } from "./support/axe.ts";
import { showIdOf, writeProgramme } from "./support/programme.ts";
import { test as base, expect, phone, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

interface OwnSite {
  start(variables?: Record<string, string>): Promise<void>;
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
    const start = async (variables = {}) => {
      site = await startSite({ DATABASE_URL: database.url, PORT: port, ...variables });
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

/** What the browser keeps: paths in Cache Storage, and workers. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    const workers = (await navigator.serviceWorker.getRegistrations()).length;
    return { paths: requests.flat().map(({ url }) => new URL(url).pathname), workers };
  });

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
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(ui.titles.first()).toHaveText("Moth Hour");
  await expect(ui.card("Moth Hour").getByText("(1 review)", { exact: true })).toBeVisible();
  await ui.searchBox.fill("EVENING");
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "EVENING"');
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText('Showing 21-24 of 24 shows for 2025 matching "EVENING"');
  await page.goBack();
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "EVENING"');
  await ui.searchBox.fill("");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-6 of 6 shows for 2025");
  await page.getByRole("link", { name: "Announced in the listing" }).click();
  await expect(ui.titles).toHaveText(["Moth Hour"]);

  const tab = await context.newPage();
  await tab.goto("/?search=human+pyramid");
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
  await page.clock.install();
  await visit("/");
  await page.clock.runFor(10_000);
  await expect(savedLine(page)).toBeVisible();
  await own.cut();
  await page.clock.setSystemTime(Date.now() + 2.5 * 86_400_000);
  await ui.searchBox.fill("evening");
  await page.clock.runFor(1_000);
  await expect(ui.notice).toContainText("It is 2 days old.");
});

test("what was saved is removed, and stays so until it is wanted again", async ({ page, own: _, visit }) => {
  await visit("/");
  await footerButton(page, "Remove").click();
  await expect(footerButton(page, "Save for offline")).toBeFocused();
  await expect.poll(() => kept(page)).toEqual({ paths: [], workers: 0 });
  await page.reload();
  await expect(footerButton(page, "Save for offline")).toBeVisible();
  expect(await kept(page)).toEqual({ paths: [], workers: 0 });
  await footerButton(page, "Save for offline").click();
  await expect(savedLine(page)).toBeVisible({ timeout: 30_000 });
  expect((await kept(page)).workers).toBe(1);
});

test("OFFLINE=0 removes the worker and what was saved", async ({ page, own, visit }) => {
  await visit("/");
  await expect(savedLine(page)).toBeVisible();
  await own.stop();
  await own.start({ OFFLINE: "0" });
  await page.reload();
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await expect.poll(() => kept(page)).toEqual({ paths: [], workers: 0 });
  await visit("/?page=2");
  await expect(page.getByRole("contentinfo").getByRole("button")).toHaveCount(0);
});

test("a server that does not answer in time is as none", async ({ page, context, own: _, ui, visit }) => {
  await visit("/");
  await expect(savedLine(page)).toBeVisible();
  await context.route(/./, () => {});
  await page.goto("/?search=evening", { waitUntil: "commit" });
  await expect(ui.notice).toHaveText(NOTICE);
  await expect(ui.titles.first()).toHaveText("Quiet Evening 1");
});

test("a captive portal's page is not saved, nor that of another build", async ({
  page,
  context,
  own: _,
  visit,
}) => {
  await visit("/");
  await expect(savedLine(page)).toBeVisible();
  const before = await kept(page);
  await page.evaluate(() => caches.delete("front-row-saved"));
  const lookAgain = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  const other = '<!doctype html><html lang="en-GB"><link href="/assets/manifest-00000000.js">';
  let body = other;
  await context.route(/\/(api\/.*\.json)?$/, (route) => route.fulfill({ contentType: "text/html", body }));
  for (body of [other, '{"year":2025}']) {
    const answer = page.waitForResponse(/shows\.json$/);
    await lookAgain();
    await (await answer).finished();
  }
  await context.unrouteAll({ behavior: "wait" });
  await context.route(/\/$/, (route) => route.fulfill({ contentType: "text/html", body: other }));
  const answer = page.waitForResponse(/\/$/);
  await lookAgain();
  await (await answer).finished();
  expect((await kept(page)).paths.toSorted()).toEqual(["/api/offline/shows.json", "/api/tallies.json"]);
  await context.unrouteAll({ behavior: "wait" });
  await lookAgain();
  await expect.poll(async () => (await kept(page)).paths.toSorted()).toEqual(before.paths.toSorted());
});

const browsers: [name: string, script: () => void][] = [
  ["that saves data", () => Object.defineProperty(navigator, "connection", { value: { saveData: true } })],
  [
    "whose storage is full",
    () => (Cache.prototype.put = () => Promise.reject(new DOMException("Full", "QuotaExceededError"))),
  ],
  [
    "that blocks storage",
    () => (CacheStorage.prototype.open = () => Promise.reject(new DOMException("No", "SecurityError"))),
  ],
];
for (const [name, script] of browsers) {
  test(`a browser ${name} works as without it`, async ({ page, own: _, ui, visit }) => {
    await page.clock.install();
    await page.addInitScript(script);
    await visit("/");
    await page.clock.runFor(10_000);
    await page.waitForLoadState("networkidle");
    expect((await kept(page)).paths).toEqual([]);
    await ui.searchBox.fill("evening");
    await page.clock.runFor(1_000);
    await expect(ui.summary).toHaveText(/of 24 shows/);
    await expect(savedLine(page)).toHaveCount(0);
  });
}
