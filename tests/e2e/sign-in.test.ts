import type { Page, Route } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, untilInteractive, widths } from "./support/test.ts";
import { overflowOf, uiOf } from "./support/ui.ts";

test("the keyboard alone signs in and out", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  context,
  environment,
  problems,
}) => {
  const email = `${"very-long-".repeat(12)}${crypto.randomUUID()}@people.example`;
  const scripts = new Set<string>();
  page.on("request", (request) => request.url().endsWith(".js") && scripts.add(request.url()));
  const countSignInScripts = async () => {
    const texts = await Promise.all([...scripts].map(async (url) => (await fetch(url)).text()));
    return texts.filter((text) => text.includes("code_verifier")).length;
  };
  await visit("/");
  await page.waitForLoadState("networkidle");
  await visit("/auth");
  await page.waitForLoadState("networkidle");
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    for (const name of ["Google", "GitHub"] as const) await expect(ui.continueWith(name)).toBeInViewport();
    await expectAccessible(page);
    expect(await overflowOf(page)).toBe(0);
  }
  expect(await countSignInScripts()).toBe(0);
  await ui.continueWith("Google").press("Enter");
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  expect(await countSignInScripts()).toBe(1);
  const loaded = ui.waitForReviewedResponse();
  await page.keyboard.press("Enter");
  await loaded;
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    await expect(ui.email(email)).toBeVisible({ visible: width > 640 });
    expect(await overflowOf(page)).toBe(0);
    await expect(ui.signOutButton).toBeInViewport({ ratio: 1 });
  }
  await expectAccessible(page);
  problems.expect(/^failed: .*\/auth\/v1\/logout/, /^console error: Failed to load resource/);
  await page.route("**/auth/v1/logout*", (route) => route.abort("internetdisconnected"));
  await ui.signOutButton.press("Space");
  const toast = ui.toasts.getByRole("alert");
  await expect(toast).toContainText("Sign out failed");
  await expect(toast).toContainText("Please try again.");
  await expect(ui.email(email)).toBeVisible();
  await page.unrouteAll();
  await ui.signOutButton.press("Space");
  await expect(ui.messages).toContainText("Signed out");
  await expect(ui.toasts).toContainText("You've been successfully signed out.");
  await expect(ui.signInButton).toBeFocused();
  await expect(ui.email(email)).toHaveCount(0);
  expect(await storedSession(context, environment.origin)).toBeNull();
  await page.reload();
  await expect(ui.signInButton).toBeVisible();
});

test.describe("an OAuth callback", () => {
  async function reachGoogle(page: Page): Promise<void> {
    await page.goto("/");
    await untilInteractive(page);
    await uiOf(page).signInButton.click();
    await expect(page).toHaveTitle(/Google/);
  }

  test("shows no code and no Sign In in any frame", async ({ page, ui, email, context, visit, problems }) => {
    // Back leads to Google's page, whose sign-in is over.
    problems.expect(/^400: .*\/interaction\//, /^console error: Failed to load resource/);
    await context.addInitScript(() => {
      const recorded = { addresses: new Set<string>(), shown: new Set<string>() };
      Object.assign(window, { recorded });
      const look = () => {
        recorded.addresses.add(location.href);
        for (const node of document.querySelectorAll<HTMLElement>("button, h2"))
          if (node.checkVisibility({ visibilityProperty: true })) recorded.shown.add(node.textContent.trim());
        requestAnimationFrame(look);
      };
      document.addEventListener("readystatechange", look);
    });
    const framesOf = (kind: string) =>
      page.evaluate((name) => [...Reflect.get(window, "recorded")[name]], kind);
    const expectNeither = async () => {
      await expect(ui.email(email)).toBeVisible();
      // A frame later than what is visible now.
      await expect.poll(() => framesOf("shown")).toContain("Sign Out");
      const shown = await framesOf("shown");
      for (const text of ["Sign In", "Welcome"]) expect(shown).not.toContain(text);
      expect((await framesOf("addresses")).join()).not.toContain("code=");
    };
    await reachGoogle(page);
    await ui.submitAccount(email);
    await expect(ui.email(email)).toBeVisible();
    expect((await framesOf("addresses")).join()).not.toContain("code=");
    await page.reload();
    await expectNeither();
    await page.goBack();
    expect(page.url()).not.toContain("?code=");
    await page.goForward();
    await expectNeither();
    await visit("/auth");
    await expect(page).toHaveURL("/");
    await expectNeither();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain("front-row-sign-in");
  });

  for (const [lost, files] of [
    ["all scripts", "**/assets/*.js"],
    ["its script", "**/assets/finish-sign-in*"],
  ] as const)
    test(`without ${lost} leaves no code; a reload signs in`, async ({ page, ui, email, problems }) => {
      problems.allow(/^failed: .*\/assets\//, /^console error: .*Failed to (load|fetch)/);
      await reachGoogle(page);
      await page.route(files, (route) => route.abort("internetdisconnected"));
      await ui.submitAccount(email);
      await expect(page).toHaveURL("/");
      await expect(ui.cards).toHaveCount(20);
      const toast = /Sign in failed.*Please try again\./;
      if (lost === "its script") await expect(ui.toasts.getByRole("alert")).toContainText(toast);
      await page.unrouteAll();
      await page.reload();
      await expect(ui.email(email)).toBeVisible();
      await expect(page).toHaveURL("/");
      expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain("front-row-sign-in");
    });

  test("on a busy site leaves no code", async ({ page, ui, environment, email, problems }) => {
    problems.allow(/^429: /, /^console error: Failed to load resource/);
    const { balancer, database } = environment;
    const { request } = await createBuiltApp(database, { createRateCounter: () => () => 3 });
    const response = await request("/", { headers: { Accept: "text/html" } });
    const headers = Object.fromEntries(response.headers);
    const answer = { status: response.status, headers, body: await response.text() };
    await reachGoogle(page);
    balancer.answerTo = (path) => (/^\/\?.*code=/.test(path) ? answer : null);
    await ui.submitAccount(email);
    await expect(page.getByText("Please try again in a moment.")).toBeVisible();
    balancer.answerTo = () => null;
    await expect(page).toHaveURL("/");
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(ui.email(email)).toBeVisible();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).not.toContain("front-row-sign-in");
  });
});

test("nothing leaves the page where no name is found or a portal asks to log in", async ({
  page,
  ui,
  visit,
  problems,
}) => {
  problems.allow(/^failed: /, /^console error: /);
  const link = (name: string) => page.getByRole("link", { name, exact: true }).first();
  const search = "/?search=evening&interaction=no";
  const portal = (route: Route) => route.fulfill({ contentType: "text/html", body: "Log in" });
  const noName = (route: Route) => route.abort("namenotresolved");
  for (const [address, answer, ...presses] of [
    [search, portal, ui.signInButton, link("Sign in"), link("Terms"), link("Privacy")],
    ["/auth", noName, ui.continueWith("Google"), ui.continueWith("GitHub"), link("privacy policy")],
  ] as const) {
    await visit(address);
    await page.waitForLoadState("networkidle");
    if (address === search) await ui.reviewButton(ui.cards.first()).click();
    await page.route(/^http/, answer);
    for (const press of presses) {
      const isLink = (await press.getAttribute("href")) !== null;
      await press.click();
      const [title, text] = isLink
        ? ["Error", "This page could not be loaded."]
        : ["Sign in failed", "Please try again."];
      await expect(ui.toasts.getByRole("alert")).toContainText([`${title}${text}`]);
      await expect(page).toHaveURL(address);
      await ui.toasts.getByRole("alert").getByRole("button").click();
    }
    if (address === search) await expect(ui.searchBox).toHaveValue("evening");
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
  await link("privacy policy").click();
  await expect(page).toHaveURL("/privacy");
});

const scrollOf = (page: Page) => page.evaluate(() => scrollY);

test("signing in leads back to the list, and once to the dialog", async ({ page, ui, email, visit }) => {
  const link = ui.toasts.getByRole("link", { name: "Sign in", exact: true });
  const card = ui.card("Quiet Evening 12");
  await visit("/?search=evening&interaction=no");
  await ui.reviewButton(card).click();
  const position = await scrollOf(page);
  expect(position).toBeGreaterThan(300);
  await test.step("by the link of the toast, and past the sign-in page on the way back", async () => {
    await link.click();
    await expect(page).toHaveURL("/auth");
    await expect(link).toHaveCount(0);
    await ui.continueWith("GitHub").click();
    await expect(page).toHaveTitle(/GitHub/);
    await page.goBack();
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await ui.reviewButton(card).click();
    await link.click();
    await ui.continueWith("Google").click();
    await ui.submitAccount(email);
    await expect(ui.dialog.getByRole("heading", { name: "Review: Quiet Evening 12" })).toBeVisible();
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await ui.cancel.click();
    await expect(ui.reviewButton(card)).toBeFocused();
    expect(await scrollOf(page)).toBeCloseTo(position, -2);
    await page.reload();
    await expect(ui.signOutButton).toBeVisible();
    await expect(ui.dialog).toHaveCount(0);
  });
  await test.step("by Sign In, after a failure", async () => {
    await ui.signOutButton.click();
    await page.evaluate(() => scrollTo(0, 0));
    await ui.signInButton.click();
    await ui.submitAccount(email, { press: "Deny" });
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await expect(ui.toasts.getByRole("alert")).toContainText(/Sign in failed.*Please try again\./);
    await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
    await expect(ui.dialog).toHaveCount(0);
  });
});

test.describe("in a browser inside an app", () => {
  test.use({
    userAgent:
      "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Instagram 337.0",
  });

  test("Sign In leads to a page that offers the system's browser", async ({ page, ui, visit, context }) => {
    await context.grantPermissions(["clipboard-write"]);
    await visit("/?search=evening&page=2");
    const left = page.url();
    await ui.signInButton.click();
    await expect(page).toHaveURL("/auth");
    const intent = /^intent:\/\/127\.0\.0\.1:\d+\/\?search=evening&page=2#Intent;/;
    await expect(page.getByRole("link", { name: "Open in your browser" })).toHaveAttribute("href", intent);
    const copy = page.getByRole("button", { name: "Copy the link" });
    await page.getByRole("heading", { name: "Welcome" }).focus();
    await page.keyboard.press("Tab");
    await expect(copy).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Link copied")).toBeVisible();
    await expectAccessible(page);
    await visit("/");
    await ui.searchBox.press("ControlOrMeta+V");
    await expect(ui.searchBox).toHaveValue(left);
  });
});
