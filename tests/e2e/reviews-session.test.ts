import type { Route } from "@playwright/test";
import { accountsOf } from "./support/accounts.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { expectToast, reviewsOf, test, toasts } from "./support/review-ui.ts";
import { expect, once, soak, untilInteractive } from "./support/test.ts";

const HOUR = 60 * 60_000;

test(
  "a change of user in another tab sends nothing and hides the draft from the new user",
  once,
  async ({ page, accounts, email, context, list, reviewUi, environment }) => {
    await reviewUi.signInAndOpen(email, "Matinee 51");
    await reviewUi.notes.fill("Mine alone");
    const tab = await context.newPage();
    const loaded = accountsOf(tab).waitForReviewedResponse();
    await tab.goto("/");
    await loaded;
    await accountsOf(tab).signOutButton.click();
    await accountsOf(tab).signInButton.waitFor();
    await reviewUi.submit.click();
    await expectToast(page, toasts.signIn);
    await expect(reviewUi.notes).toHaveValue("Mine alone");

    await accountsOf(tab).signInByPages(`second-${email}`);
    await expect(accounts.email(`second-${email}`)).toBeVisible();
    await expect(reviewUi.dialog).toHaveCount(0);
    await reviewUi.reviewButton(list.card("Matinee 51")).click();
    await expect(reviewUi.notes).toHaveValue("");
    expect(await reviewsOf(environment, email)).toEqual([]);
    expect(await reviewsOf(environment, `second-${email}`)).toEqual([]);
  },
);

test(
  "an expired access token is refreshed before the review is sent",
  once,
  async ({ page, email, reviewUi, environment }) => {
    await page.clock.install();
    await reviewUi.signInAndOpen(email, "Matinee 52");
    const authorizations: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") authorizations.push(request.headers().authorization);
    });
    const before = await page.evaluate(
      () => JSON.parse(localStorage.getItem("front-row-session") ?? "").access_token,
    );
    // As after sleep: the time jumps, and no timer of the page runs.
    await page.clock.setFixedTime(Date.now() + 2 * HOUR);
    await reviewUi.submit.click();
    await expectToast(page, toasts.thanks, "status");
    expect(authorizations).toHaveLength(1);
    expect(authorizations[0]).not.toBe(`Bearer ${before}`);
    expect(await reviewsOf(environment, email)).toHaveLength(1);
  },
);

test(
  "a review whose token cannot be refreshed offline fails, and the session stays",
  once,
  async ({ page, accounts, email, list, reviewUi, problems }) => {
    problems.allow(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
    await page.clock.install();
    await reviewUi.signInAndOpen(email, "Matinee 53");
    await reviewUi.notes.fill("No bars");
    await page.route("**/auth/v1/token?grant_type=refresh_token", (route) =>
      route.abort("internetdisconnected"),
    );
    await page.clock.setFixedTime(Date.now() + 2 * HOUR);
    await reviewUi.submit.click();
    // The refresh is retried with growing waits before it fails (docs/product.md §6.12).
    await expect(async () => {
      await page.clock.runFor(5_000);
      await expect(list.toasts.getByRole("alert")).toBeVisible({ timeout: 200 });
    }).toPass();
    await expectToast(page, toasts.failed);
    await expect(reviewUi.notes).toHaveValue("No bars");
    await page.keyboard.press("Escape");
    await expect(accounts.email(email)).toBeVisible();
  },
);

for (const [index, name, fail] of [
  [61, "a lost connection", (route: Route) => route.abort("internetdisconnected")],
  [62, "a bot check's page", (route: Route) => route.fulfill({ status: 403, body: "<!doctype html>" })],
  [63, "a server that is too busy", (route: Route) => route.fulfill({ status: 503, json: { code: "busy" } })],
] as const) {
  test(
    `the first Submit after ${name} in place of a refresh stores the review`,
    soak,
    async ({ page, email, list, reviewUi, environment, problems }) => {
      problems.allow(
        /(failed|403|503): .*grant_type=refresh_token/,
        /^console error: Failed to load resource/,
      );
      await page.clock.install();
      await reviewUi.signInAndOpen(email, `Matinee ${index}`);
      await page.route("**/auth/v1/token?grant_type=refresh_token", fail);
      await page.clock.setFixedTime(Date.now() + 2 * HOUR);
      await reviewUi.submit.click();
      await expect(async () => {
        await page.clock.runFor(5_000);
        await expect(list.toasts.getByRole("alert")).toBeVisible({ timeout: 200 });
      }).toPass();
      await page.unrouteAll();
      await reviewUi.submit.click();
      await expectToast(page, toasts.thanks, "status");
      expect(await reviewsOf(environment, email)).toHaveLength(1);
    },
  );
}

test(
  "a user banned while the dialog is open is asked to sign in, and nothing is stored",
  soak,
  async ({ page, email, reviewUi, environment, problems }) => {
    problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
    problems.allow(/^40[0-9]: .*\/auth\/v1\//);
    await reviewUi.signInAndOpen(email, "Matinee 54");
    const { db } = environment.database;
    await db.updateTable("users").set({ banned_at: new Date() }).where("email", "=", email).execute();
    await db
      .deleteFrom("sessions")
      .where("user_id", "in", (users) => users.selectFrom("users").select("id").where("email", "=", email))
      .execute();
    await reviewUi.submit.click();
    await expectToast(page, toasts.signIn);
    expect(await reviewsOf(environment, email)).toEqual([]);
  },
);

test("a draft survives a reload", once, async ({ page, email, list, reviewUi }) => {
  await reviewUi.signInAndOpen(email, "Matinee 55");
  await reviewUi.interactionOption("Yes, significant interaction").check();
  await reviewUi.notes.fill("The queue moved");
  await page.reload();
  await untilInteractive(page);
  await reviewUi.reviewButton(list.card("Matinee 55")).click();
  await expect(reviewUi.notes).toHaveValue("The queue moved");
  await expect(reviewUi.interactionOption("Yes, significant interaction")).toBeChecked();
});

test(
  "a press before hydration opens the dialog of a signed-in user",
  once,
  async ({ page, accounts, email, list, reviewUi }) => {
    await accounts.signIn(email);
    const releaseScripts = await holdScripts(page);
    await page.goto("/?search=matinee+56", { waitUntil: "commit" });
    await reviewUi.reviewButton(list.card("Matinee 56")).click();
    releaseScripts();
    await expect(page.getByRole("dialog", { name: "Review: Matinee 56", exact: true })).toBeVisible();
    await expect(reviewUi.interactionOption("No audience interaction")).toBeFocused();
  },
);
