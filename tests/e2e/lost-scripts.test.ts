import type { Page, Route } from "@playwright/test";
import { firefoxPath } from "../support/firefox.ts";
import { openFirefox } from "./support/firefox.ts";
import { test } from "./support/review-ui.ts";
import { expect, once, soak } from "./support/test.ts";

type Respond = (route: Route) => Promise<void>;

const loseConnection: Respond = (route) => route.abort("internetdisconnected");

/** Each response with one of the buttons. */
const presses: [name: string, respond: Respond, address: string, button: string][] = [
  ["a lost connection", loseConnection, "/", "Sign In"],
  [
    "a server that is too busy",
    (route) => route.fulfill({ status: 503, body: "" }),
    "/auth",
    "Continue with Google",
  ],
  [
    "a captive portal's page",
    (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
    "/auth",
    "Continue with GitHub",
  ],
];

/**
 * Makes Chromium behave as Firefox does: the script of signing in never comes from the URL that failed once.
 * Returns the requested URLs.
 */
async function rememberFailure(page: Page, respond: Respond): Promise<string[]> {
  const requested: string[] = [];
  page.on("request", (request) => request.url().includes("/auth-js-client") && requested.push(request.url()));
  await page.route(/\/auth-js-client[^/?]*\.js$/, respond);
  return requested;
}

test.describe("after another response in place of the script of signing in", () => {
  test.beforeEach(({ problems }) =>
    problems.allow(
      /\/auth-js-client/,
      /^console error: (Failed to (load|fetch)|.*could not be loaded|The session cannot be refreshed)/,
    ),
  );

  for (const [name, respond, address, button] of presses) {
    test(
      `${name}: the second press of ${button} works`,
      name === "a lost connection" ? once : soak,
      async ({ page, accounts, email, visit, list }) => {
        const requested = await rememberFailure(page, respond);
        await visit(address);
        await page.getByRole("button", { name: button }).click();
        await expect(list.toasts.getByRole("alert")).toHaveCount(1);
        await page.getByRole("button", { name: button }).click();
        await expect(page).toHaveTitle(/Google|GitHub/);
        expect(new Set(requested).size).toBe(2);
        await page.unrouteAll();
        await accounts.submitAccount(email);
        await expect(accounts.email(email)).toBeVisible();
      },
    );
  }

  test(
    "a lost connection: Sign Out of a user whose session was not refreshed works",
    once,
    async ({ page, accounts, email, visit, problems }) => {
      // The user's own reviews may still be loading when the session ends.
      problems.allow(/^401: .*\/api\/reviews\/mine/);
      const requested = await rememberFailure(page, loseConnection);
      await accounts.signIn(email);
      await visit("/");
      await accounts.signOutButton.click();
      await expect(accounts.signInButton).toBeVisible();
      expect(new Set(requested).size).toBe(2);
    },
  );
});

test(
  "a press before the script of reviewing arrives opens the dialog then, and later ones need no network",
  once,
  async ({ page, context, accounts, email, list, reviewUi, visit, problems }) => {
    problems.allow(/INTERNET_DISCONNECTED/, /^console error: Your reviews could not be loaded/);
    const arrives = Promise.withResolvers<void>();
    await page.route(/\/reviewer-[^/]*\.js$/, (route) => arrives.promise.then(() => route.continue()));
    await accounts.signIn(email);
    await visit("/?search=matinee+1");
    const button = reviewUi.reviewButton(list.card("Matinee 14"));
    await button.click();
    arrives.resolve();
    await expect(page.getByRole("dialog", { name: "Review: Matinee 14" })).toBeVisible();
    await context.setOffline(true);
    await reviewUi.cancel.click();
    await expect(button).toBeFocused();
    await reviewUi.reviewButton(list.card("Matinee 13")).click();
    await expect(page.getByRole("dialog", { name: "Review: Matinee 13" })).toBeVisible();
  },
);

test(
  "after the script of reviewing was lost a toast says so, and the next press opens the dialog",
  once,
  async ({ page, accounts, email, list, reviewUi, visit, problems }) => {
    problems.allow(/\/reviewer-/, /^console error: (Failed to load|Reviewing could not be loaded)/);
    await page.route(/\/reviewer-[^/?]*\.js$/, (route) => route.abort("internetdisconnected"));
    const failed = page.waitForEvent("requestfailed");
    await accounts.signIn(email);
    await visit("/?search=moth");
    await failed;
    await page.route(/\/reviewer-/, (route) => route.abort("internetdisconnected"));
    const button = reviewUi.reviewButton(list.card("Moth Hour"));
    await button.click();
    const toast = list.toasts.getByRole("alert");
    await expect(toast.getByText("This could not be loaded. Please try again.")).toBeVisible();
    await page.unrouteAll();
    await button.click();
    await expect(reviewUi.dialog).toBeVisible();
    await expect(toast).toHaveCount(0);
  },
);

test(
  "in Firefox, after one lost request for the script of signing in, the second press works",
  soak,
  async ({ environment }) => {
    test.skip(firefoxPath === undefined, "needs a Firefox");
    test.slow(); // Firefox takes longer to start than any other test takes
    await using firefox = await openFirefox(firefoxPath ?? "");
    for (const [address, button, provider] of [
      ["/", "Sign In", /Google/],
      ["/auth", "Continue with GitHub", /GitHub/],
    ] as const) {
      const press = `Array.from(document.querySelectorAll("button")).find((b) => b.textContent === "${button}").click()`;
      firefox.failRequests("/auth-js-client");
      await firefox.goto(environment.origin + address);
      await expect.poll(() => firefox.evaluate("history.scrollRestoration")).toBe("manual");
      await firefox.evaluate(press);
      await expect.poll(() => firefox.evaluate(`document.querySelectorAll("[role=alert]").length`)).toBe(1);
      firefox.failRequests(null);
      await firefox.evaluate(press);
      await expect.poll(() => firefox.evaluate("document.title").catch(String)).toMatch(provider);
    }
  },
);
