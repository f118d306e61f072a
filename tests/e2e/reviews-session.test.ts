import type { Route } from "@playwright/test";
import { banUser, deleteUser } from "../../src/accounts/end-account.server.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast, reviewsOf, toasts } from "./support/review-ui.ts";
import { expect, soak } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const HOUR = 60 * 60_000;

test("a change of user in another tab hides the draft", async ({ page, ui, email, context, environment }) => {
  await ui.signInAndOpen(email, "Matinee 51");
  await ui.notes.fill("Mine alone");
  const tab = await context.newPage();
  const loaded = uiOf(tab).waitForReviewedResponse();
  await tab.goto("/");
  await loaded;
  await uiOf(tab).signOutButton.click();
  await uiOf(tab).signInButton.waitFor();
  await ui.submit.click();
  await expectToast(page, toasts.signIn);
  await expect(ui.notes).toHaveValue("Mine alone");

  await uiOf(tab).signInByPages(`second-${email}`);
  await expect(ui.email(`second-${email}`)).toBeVisible();
  await expect(ui.dialog).toHaveCount(0);
  await ui.reviewButton(ui.card("Matinee 51")).click();
  await expect(ui.notes).toHaveValue("");
  expect(await reviewsOf(environment, email)).toEqual([]);
  expect(await reviewsOf(environment, `second-${email}`)).toEqual([]);
});

test("an expired token is refreshed before a review is sent", async ({ page, email, ui, environment }) => {
  await page.clock.install();
  await ui.signInAndOpen(email, "Matinee 52");
  const authorizations: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") authorizations.push(request.headers().authorization);
  });
  const before = await page.evaluate(
    () => JSON.parse(localStorage.getItem("front-row-session") ?? "").access_token,
  );
  // As after sleep: the time jumps, and no timer of the page runs.
  await page.clock.setFixedTime(Date.now() + 2 * HOUR);
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  expect(authorizations).toHaveLength(1);
  expect(authorizations[0]).not.toBe(`Bearer ${before}`);
  expect(await reviewsOf(environment, email)).toHaveLength(1);
});

test("offline a review whose token expired fails, not the session", async ({ page, ui, email, problems }) => {
  problems.allow(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  await ui.signInAndOpen(email, "Matinee 53");
  await ui.notes.fill("No bars");
  await page.route("**/auth/v1/token?grant_type=refresh_token", (route) =>
    route.abort("internetdisconnected"),
  );
  await page.clock.setFixedTime(Date.now() + 2 * HOUR);
  await ui.submit.click();
  // The refresh is retried with growing waits before it fails (docs/product.md §6.12).
  await expect(async () => {
    await page.clock.runFor(5_000);
    await expect(ui.toasts.getByRole("alert")).toBeVisible({ timeout: 200 });
  }).toPass();
  await expectToast(page, toasts.failed);
  await expect(ui.notes).toHaveValue("No bars");
  await page.keyboard.press("Escape");
  await expect(ui.email(email)).toBeVisible();
});

for (const [index, name, fail] of [
  [61, "a lost connection", (route: Route) => route.abort("internetdisconnected")],
  [62, "a bot check's page", (route: Route) => route.fulfill({ status: 403, body: "<!doctype html>" })],
  [63, "a server that is too busy", (route: Route) => route.fulfill({ status: 503, json: { code: "busy" } })],
] as const) {
  test(
    `the first Submit after ${name} in place of a refresh stores the review`,
    soak,
    async ({ page, email, ui, environment, problems }) => {
      problems.allow(
        /(failed|403|503): .*grant_type=refresh_token/,
        /^console error: Failed to load resource/,
      );
      await page.clock.install();
      await ui.signInAndOpen(email, `Matinee ${index}`);
      await page.route("**/auth/v1/token?grant_type=refresh_token", fail);
      await page.clock.setFixedTime(Date.now() + 2 * HOUR);
      await ui.submit.click();
      await expect(async () => {
        await page.clock.runFor(5_000);
        await expect(ui.toasts.getByRole("alert")).toBeVisible({ timeout: 200 });
      }).toPass();
      await page.unrouteAll();
      await ui.submit.click();
      await expectToast(page, toasts.thanks, "status");
      expect(await reviewsOf(environment, email)).toHaveLength(1);
    },
  );
}

const mistake = "If you think that this is a mistake, write to:";

for (const [end, text] of [
  ["banned", `This account was banned: it may not sign in here any more. ${mistake}`],
  ["deleted", "This account was deleted, and its reviews with it."],
] as const) {
  test(`an open page of an account that was ${end} says so in place of a request to sign in`, async ({
    page,
    ui,
    email,
    environment,
    problems,
  }) => {
    problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
    problems.allow(/^401: .*\/api\/reviews\/mine/, /^40[03]: .*\/auth\/v1\//);
    await ui.signInAndOpen(email, "Matinee 54");
    await ui.notes.fill("What I meant to say");
    const { db } = environment.database;
    const id = (await storedSession(page.context(), environment.origin))?.user.id ?? "";
    await (end === "banned" ? banUser(db, id, { removeReviews: false }) : deleteUser(db, id));
    await ui.submit.click();
    await expectToast(page, ["Error", text]);
    await expect(ui.notes).toHaveValue("What I meant to say");
    await expect(ui.toasts.getByRole("link")).toHaveAttribute(
      "href",
      end === "banned" ? "mailto:ada@front-row.example" : "/auth",
    );
    await expectAccessible(page);
    await page.keyboard.press("Escape"); // the toast
    await page.keyboard.press("Escape");
    await expect(ui.signInButton).toBeVisible();
    await ui.reviewButton(ui.card("Matinee 54")).click();
    await expectToast(page, ["Error", text]);
    expect(await reviewsOf(environment, email)).toEqual([]);
  });
}

test("a refresh in the background says that the account was banned", async ({
  page,
  ui,
  email,
  environment,
  problems,
}) => {
  problems.expect(/^400: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  await ui.openSignedIn(email, "/?search=haggis");
  const id = (await storedSession(page.context(), environment.origin))?.user.id ?? "";
  await banUser(environment.database.db, id, { removeReviews: false });
  // The access token has expired, too.
  await page.clock.fastForward(2 * HOUR);
  await expectToast(page, ["Error", `This account was banned: it may not sign in here any more. ${mistake}`]);
  await ui.signInButton.click();
  await ui.submitAccount(email);
  await expectToast(page, ["Sign in failed", `This account may not sign in here any more. ${mistake}`]);
  await expect(ui.toasts.getByRole("link", { name: "ada@front-row.example" })).toBeVisible();
  await expect(page).toHaveURL("/?search=haggis");
});
