import { accountsOf } from "./support/accounts.ts";
import { expectToast, reviewsOf, test, toasts } from "./support/reviewing.ts";
import { holdScripts } from "./support/scripts.ts";
import { expect, once, untilInteractive } from "./support/test.ts";

const HOUR = 60 * 60_000;

test(
  "when another tab signs out, and somebody else in, nothing is sent in anybody's name and nobody sees what was typed",
  once,
  async ({ page, accounts, email, context, list, reviewing, world }) => {
    await reviewing.begin(email, "Matinee 51");
    await reviewing.notes.fill("Mine alone");
    const tab = await context.newPage();
    const asked = accountsOf(tab).askedForReviewed();
    await tab.goto("/");
    await asked;
    await accountsOf(tab).signOutButton.click();
    await accountsOf(tab).signInButton.waitFor();
    await reviewing.submit.click();
    await expectToast(page, toasts.signIn);
    await expect(reviewing.notes).toHaveValue("Mine alone");

    await accountsOf(tab).signInByPages(`second-${email}`);
    await expect(accounts.email(`second-${email}`)).toBeVisible();
    await expect(reviewing.dialog).toHaveCount(0);
    await reviewing.button(list.card("Matinee 51")).click();
    await expect(reviewing.notes).toHaveValue("");
    expect(await reviewsOf(world, email)).toEqual([]);
    expect(await reviewsOf(world, `second-${email}`)).toEqual([]);
  },
);

test(
  "a token that has expired is refreshed before the review is sent",
  once,
  async ({ page, email, reviewing, world }) => {
    await page.clock.install();
    await reviewing.begin(email, "Matinee 52");
    const bearers: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") bearers.push(request.headers().authorization);
    });
    const before = await page.evaluate(() => JSON.parse(localStorage.getItem("front-row-session") ?? "").access_token);
    // The page slept: no timer of its own has run.
    await page.clock.setFixedTime(Date.now() + 2 * HOUR);
    await reviewing.submit.click();
    await expectToast(page, toasts.thanks, "status");
    expect(bearers).toHaveLength(1);
    expect(bearers[0]).not.toBe(`Bearer ${before}`);
    expect(await reviewsOf(world, email)).toHaveLength(1);
  },
);

test(
  "an expired token that cannot be refreshed without signal is a failure, and the session stays",
  once,
  async ({ page, accounts, email, list, reviewing, problems }) => {
    problems.allow(/^failed: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
    await page.clock.install();
    await reviewing.begin(email, "Matinee 53");
    await reviewing.notes.fill("No bars");
    await page.route("**/auth/v1/token?grant_type=refresh_token", (route) => route.abort("internetdisconnected"));
    await page.clock.setFixedTime(Date.now() + 2 * HOUR);
    await reviewing.submit.click();
    // What keeps trying waits longer and longer.
    await expect(async () => {
      await page.clock.runFor(5_000);
      await expect(list.toasts.getByRole("alert")).toBeVisible({ timeout: 200 });
    }).toPass();
    await expectToast(page, toasts.failed);
    await expect(reviewing.notes).toHaveValue("No bars");
    await page.keyboard.press("Escape");
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "somebody who is banned between opening and submitting is asked to sign in, and nothing is stored",
  once,
  async ({ page, email, reviewing, world, problems }) => {
    problems.expect(/^401: .*\/api\/reviews$/, /^console error: Failed to load resource/);
    problems.allow(/^40[0-9]: .*\/auth\/v1\//);
    await reviewing.begin(email, "Matinee 54");
    const { db } = world.database;
    await db.updateTable("users").set({ banned_at: new Date() }).where("email", "=", email).execute();
    await db
      .deleteFrom("sessions")
      .where("user_id", "in", (users) => users.selectFrom("users").select("id").where("email", "=", email))
      .execute();
    await reviewing.submit.click();
    await expectToast(page, toasts.signIn);
    expect(await reviewsOf(world, email)).toEqual([]);
  },
);

test("what was typed survives a reload", once, async ({ page, email, list, reviewing }) => {
  await reviewing.begin(email, "Matinee 55");
  await reviewing.answer("Yes, significant interaction").check();
  await reviewing.notes.fill("The queue moved");
  await page.reload();
  await untilInteractive(page);
  await reviewing.button(list.card("Matinee 55")).click();
  await expect(reviewing.notes).toHaveValue("The queue moved");
  await expect(reviewing.answer("Yes, significant interaction")).toBeChecked();
});

test(
  "a press before scripts arrive opens the dialog of somebody who is signed in",
  once,
  async ({ page, accounts, email, list, reviewing }) => {
    await accounts.signIn(email);
    const letScriptsCome = await holdScripts(page);
    await page.goto("/?search=matinee+56", { waitUntil: "commit" });
    await reviewing.button(list.card("Matinee 56")).click();
    letScriptsCome();
    await expect(page.getByRole("dialog", { name: "Review: Matinee 56", exact: true })).toBeVisible();
    await expect(reviewing.answer("No audience interaction")).toBeFocused();
  },
);
