import type { BrowserContext, Page } from "@playwright/test";
import { startFakeIdentityProviders } from "../../dev/fake-identity-providers/start.ts";
import { freePort } from "../../dev/harness/free-port.ts";
import { SESSION_KEY } from "../../src/auth/ui/session/session-store.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { signIn } from "../support/accounts.ts";
import { readKept } from "../support/kept-offline.ts";
import { type SiteProcess, startSite } from "../support/site.ts";
import { expectAccessible } from "./support/axe.ts";
import { watchForProblems } from "./support/problems.ts";
import { createProgrammeDatabase, showIdOf } from "./support/programme.ts";
import { test as base, expect, phone, untilInteractive } from "./support/test.ts";
import { overflowOf, uiOf } from "./support/ui.ts";

const withoutServer = [
  /^failed: net::ERR_(INTERNET_DISCONNECTED|CONNECTION|FAILED|ABORTED)/,
  /^console error: (Shows|Reviews|Notes|Your \w+) could not be |Failed to (load|fetch)/,
];

/** With a site of its own, which a test can stop. */
const test = base.extend<{
  own: { start(variables?: object): Promise<void>; stop(): Promise<void> };
  port: string;
}>({
  port: async ({ browserName: _ }, use) => use(String(await freePort())),
  baseURL: async ({ port }, use) => use(`http://127.0.0.1:${port}`),
  own: async ({ port, problems }, use) => {
    problems.allow(...withoutServer);
    await using running = new AsyncDisposableStack();
    const database = await createProgrammeDatabase();
    running.defer(database.close);
    let site: SiteProcess | undefined;
    const stop = async () => void (await site?.stop());
    const start = async (variables = {}) => {
      site = await startSite({ DATABASE_URL: database.url, PORT: port, ...variables });
    };
    running.defer(stop);
    await start();
    await use({ start, stop });
  },
});

test.use({ ...phone, serviceWorkers: "allow" });
const savedLine = (page: Page) => page.getByText(/^Saved for offline: \w{3} \d\d:\d\d$/);
const NOTICE = /^No connection\. This list is from \w{3} \d\d:\d\d\.Try again$/;

test("offline, one searches, filters and reads of one show", async ({ page, context, own, ui, visit }) => {
  const footerButton = (name: string) =>
    page.getByRole("contentinfo").getByRole("button", { name, exact: true });
  await visit("/");
  await expect(savedLine(page)).toBeVisible();
  await Promise.all([own.stop(), context.setOffline(true)]);

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

  await test.step("and reads what links lead to", async () => {
    const other = await context.newPage();
    await other.goto("/");
    for (const [name, heading] of [
      ["Terms", "Terms of service"],
      ["Privacy", "Privacy policy"],
    ] as const) {
      await untilInteractive(other);
      await other.getByRole("contentinfo").getByRole("link", { name }).click();
      await expect(other.getByRole("heading", { level: 1 })).toHaveText(heading);
      await other.goBack();
    }
    await other.goto("/auth");
    await untilInteractive(other);
    await uiOf(other).continueWith("GitHub").click();
    await expect(uiOf(other).toasts.getByRole("alert")).toContainText("Sign in failed");
    await expect(other).toHaveURL("/auth");
    await other.close();
  });

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

  await test.step("what was saved is removed, and stays so until it is wanted again", async () => {
    await footerButton("Remove").click();
    const save = footerButton("Save for offline");
    expect((await save.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await expect(save).toBeFocused();
    await expect.poll(() => page.evaluate(readKept)).toEqual({ paths: [], workers: 0 });
    await page.reload();
    await expect(save).toBeVisible();
    expect(await page.evaluate(readKept)).toEqual({ paths: [], workers: 0 });
    await save.click();
    await expect(savedLine(page)).toBeVisible();
  });
});

const waitingOf = (page: Page) => page.getByRole("banner").getByText(/^\d+ not sent$/);

test("a waiting review survives a restart, and sends itself", async ({ playwright, own, port }, testInfo) => {
  await using running = new AsyncDisposableStack();
  const baseURL = `http://127.0.0.1:${port}`;
  const providers = await startFakeIdentityProviders(baseURL);
  running.defer(providers.close);
  const startServer = () => own.start(providers.variables);
  await own.stop();
  await startServer();
  const author = await signIn(baseURL, "github", { email: "author@people.example" });
  let context: BrowserContext | undefined;
  running.defer(async () => void (await context?.close()));
  async function startBrowser(): Promise<BrowserContext> {
    await context?.close();
    const options = { ...testInfo.project.use.launchOptions, ...phone, baseURL };
    context = await playwright.chromium.launchPersistentContext(testInfo.outputPath("browser"), options);
    return context;
  }

  const first = await startBrowser();
  const page = await first.newPage();
  const ui = uiOf(page);
  await page.goto("/");
  const entry = [SESSION_KEY, JSON.stringify(author)] as const;
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), entry);
  await page.reload();
  await ui.open(ui.card("Moth Hour"));
  await expect(savedLine(page)).toBeVisible();
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("Typed in a cellar.");
  await Promise.all([own.stop(), first.setOffline(true)]);
  await ui.submit.click();
  await page.getByRole("button", { name: "Send when I'm back online" }).click();
  await expect(ui.messages).toHaveText(/Not sent yet\s*It is sent when you are back online\./);
  await expect(ui.reviewButton(ui.card("Moth Hour"))).toBeFocused();
  await expect(waitingOf(page)).toHaveText("1 not sent");
  await expect(ui.card("Moth Hour").getByText("Not sent yet", { exact: true })).toBeVisible();
  expect(await overflowOf(page)).toBe(0);

  const second = await startBrowser();
  const problems = watchForProblems(second, baseURL);
  problems.allow(...withoutServer);
  await second.setOffline(true);
  const tab = await second.newPage();
  const { dialog, cancel, signOutButton } = uiOf(tab);
  await tab.goto("/");
  await expect(waitingOf(tab)).toHaveText("1 not sent");
  await waitingOf(tab).click();
  await expect(dialog.getByRole("listitem", { name: "Moth Hour" })).toContainText("Typed in a cellar.");
  await expectAccessible(tab);
  await tab.keyboard.press("Escape");
  await signOutButton.click();
  await expect(dialog).toHaveAccessibleName("1 review is not sent yet. Sign out anyway?");
  await expectAccessible(tab);
  await cancel.click();
  await expect(signOutButton).toBeFocused();
  await startServer();
  await second.setOffline(false);
  await expect(tab.getByText("Review submitted!")).toBeVisible();
  await expect(waitingOf(tab)).toHaveCount(0);
  const stored = await fetch(`${baseURL}/api/reviews/mine`, {
    headers: { apikey: "front-row-public", Authorization: `Bearer ${author.access_token}` },
  });
  const review = { audience_interaction: "yes", notes: "Typed in a cellar." };
  expect(await stored.json()).toMatchObject({ reviews: [review], total: 1 });
  expect(problems.unexpected()).toEqual([]);
});
