import type { Page } from "@playwright/test";
import { storedSession, test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

async function leaveForGithub(page: Page, origin: string): Promise<URL> {
  await page.goto("/auth");
  await page.getByRole("button", { name: "Continue with GitHub" }).click();
  await expect(page).toHaveTitle(/GitHub/);
  const callback = new URL("/auth/v1/callback", origin);
  callback.searchParams.set("state", new URL(page.url()).searchParams.get("state") ?? "");
  return callback;
}

const scam = "Your account is locked. Call 0900 123 456.";

const foreignLinks = [
  "/?search=tea&error_code=17#shows",
  `/#error=access_denied&error_description=${encodeURIComponent(scam)}`,
  `/auth?error=server_error&error_description=scam&sb_flow_id=${"0af3".repeat(8)}`,
];

test("a link with parameters of its own stays as it is", async ({ page, visit, ui }) => {
  const calls: string[] = [];
  page.on("request", (request) => request.url().includes("/auth/v1/") && calls.push(request.url()));
  for (const link of foreignLinks) {
    await page.goto("about:blank"); // the links differ in their fragments alone
    await visit(link);
    await page.waitForLoadState("networkidle");
    await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
    await expect(page).toHaveURL(link);
  }
  expect(calls).toEqual([]);
});

test("a code of no sign-in attempt is removed without a message", async ({ page, visit, ui }) => {
  for (const [link, clean] of [
    ["/?code=FRINGE25&utm_source=x", "/?utm_source=x"],
    ["/?search=tea&code=4%2F0AVMBsJ&scope=email#shows", "/?search=tea&scope=email#shows"],
    [`/auth?code=${encodeURIComponent(scam)}&sb_flow_id=${"0af3".repeat(8)}`, "/auth"],
    [`/?code=${"q".repeat(43)}&sb_flow_id=%3Cb%3E`, "/"],
  ] as const) {
    await visit(link);
    await page.waitForLoadState("networkidle");
    await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
    await expect(page).toHaveURL(clean);
  }
});

const begunElsewhere = /Sign in failed\s*Please finish signing in in the browser where you began\./;

test("a sign-in ended in another browser fails", async ({ page, email, browser, environment, problems }) => {
  problems.allow(/^elsewhere: /);
  const otherContext = await browser.newContext({ baseURL: environment.origin });
  const other = await otherContext.newPage();
  await uiOf(other).openSignedIn(`other-${email}`);
  const before = await storedSession(otherContext, environment.origin);
  await leaveForGithub(page, environment.origin);
  await other.goto(page.url());
  const returned = other.waitForRequest((request) => request.url().includes("sb_flow_id"));
  await uiOf(other).submitAccount(email);
  const link = (await returned).url();
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
  await test.step("also in a browser that blocks storage", async () => {
    const blocked = await browser.newContext({ baseURL: environment.origin });
    await blocked.addInitScript(() => {
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    });
    const blockedPage = await blocked.newPage();
    await blockedPage.goto(link);
    await expect(uiOf(blockedPage).toasts.getByRole("alert")).toHaveText(begunElsewhere);
    await expect(blockedPage).toHaveURL("/");
    await blocked.close();
  });
  await otherContext.close();
});

test("a sign-in whose verifier is missing asks to try again", async ({ page, ui, email, visit, context }) => {
  await visit("/");
  await ui.signInButton.click();
  await expect(page).toHaveTitle(/Google/);
  const other = await context.newPage();
  await other.goto("/");
  // As a sign-out in another tab does.
  await other.evaluate(() => localStorage.clear());
  await ui.submitAccount(email);
  await expect(ui.toasts.getByRole("alert")).toHaveText(/Sign in failed\s*Please try again\./);
  await expect(page).toHaveURL("/");
});

const scamParameters = `error=x&error_description=${encodeURIComponent(scam)}`;

test("a tab that left for a provider shows no text of a link", async ({ page, visit, ui, environment }) => {
  const toast = ui.toasts.getByRole("alert");
  for (const [what, link, message] of [
    ["an error in the fragment", `/auth#${scamParameters}`, "An unexpected error occurred"],
    ["a guessed id", `/?${scamParameters}&sb_flow_id=${"0af3".repeat(8)}`, "An unexpected error occurred"],
    [
      "an outage",
      `/?${scamParameters}&error_code=unavailable`,
      "Signing in with your provider does not work just now. Please try again in a moment.",
    ],
  ] as const) {
    await test.step(what, async () => {
      await leaveForGithub(page, environment.origin);
      await visit(link);
      await expect(toast).toContainText(message);
      await expect(toast).not.toContainText(scam);
      await expect(page).toHaveURL("/auth");
    });
  }
  await test.step("the provider's message is one line of plain text", async () => {
    const callback = await leaveForGithub(page, environment.origin);
    const text = "L’accès <b>est</b> refusé\non two lines";
    await visit(`${callback}&error=access_denied&error_description=${encodeURIComponent(text)}`);
    await expect(toast).toContainText("L’accès <b>est</b> refusé on two lines");
    await expect(page).toHaveURL("/auth");
  });
  await test.step("an abandoned attempt shows nothing at a later link", async () => {
    await leaveForGithub(page, environment.origin);
    await visit("/");
    await visit("/?code=FRINGE25");
    await page.waitForLoadState("networkidle");
    await expect(toast).toHaveCount(0);
    await expect(page).toHaveURL("/");
  });
});
