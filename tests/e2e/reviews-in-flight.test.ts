import type { Page } from "@playwright/test";
import { sql } from "kysely";
import { givenDeleted, givenReview } from "../support/given.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { showIdOf } from "./support/programme.ts";
import {
  expectToast,
  holdReviewWrites,
  recordReviewWrites,
  reviewsOf,
  toasts,
  userIdOf,
  waitUntilCounted,
} from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

test("closing the dialog cancels no review in flight, and loses no draft", async ({
  page,
  ui,
  email,
  environment,
  problems,
}) => {
  problems.allow(/^console error: Failed to load resource/, /^failed: .*\/api\/reviews$/);
  await ui.openSignedIn(email, "/?search=matinee+4");
  for (const [title, close] of [
    ["Matinee 41", () => page.keyboard.press("Escape")],
    ["Matinee 42", () => ui.cancel.click()],
  ] as const) {
    const card = ui.card(title);
    await ui.reviewButton(card).click();
    await ui.notes.fill(`About ${title}`);
    const held = await holdReviewWrites(page);
    await ui.submit.click();
    await expect(ui.dialog.getByRole("button", { name: "Submitting...", exact: true })).toBeVisible();
    await close();
    await expect(ui.dialog).toHaveCount(0);
    held.release();
    await expectToast(page, toasts.thanks, "status");
    await expect(card).toContainText("You reviewed this show");
    await page.unrouteAll();
    await ui.reviewButton(card).click();
    await expect(ui.notes).toHaveValue("");
    await ui.cancel.click();
  }
  expect((await reviewsOf(environment, email)).map(({ notes }) => notes).toSorted()).toEqual([
    "About Matinee 41",
    "About Matinee 42",
  ]);

  await test.step("if it fails then", async () => {
    await ui.reviewButton(ui.card("Matinee 43")).click();
    await ui.notes.fill("Do not lose me");
    const lost = Promise.withResolvers<void>();
    await page.route("**/api/reviews", (route) => lost.promise.then(() => route.abort("connectionreset")));
    await ui.submit.click();
    const goBack = await holdBack(page);
    await ui.cancel.click();
    lost.resolve();
    await expectToast(page, toasts.failed);
    await goBack();
    await expect(ui.dialog).toHaveCount(0);
    await expectToast(page, toasts.failed);
    await ui.reviewButton(ui.card("Matinee 43")).click();
    await expect(ui.notes).toHaveValue("Do not lose me");
  });
});

/** Leaves the dialog open after Cancel, as on a slow phone, until the returned function is called. */
async function holdBack(page: Page): Promise<() => Promise<void>> {
  const history = await page.evaluateHandle(() => {
    const back = window.history.back.bind(window.history);
    window.history.back = () => {};
    return { back };
  });
  return () => history.evaluate(({ back }) => back());
}

test("the later of two reviews in quick succession wins", async ({ page, ui, email, environment }) => {
  await ui.openSignedIn(email, "/?search=matinee+44");
  const card = ui.card("Matinee 44");
  const sent = recordReviewWrites(page);
  const held = await holdReviewWrites(page);
  for (const option of ["Yes, significant interaction", "Very little interaction"]) {
    await ui.reviewButton(card).click();
    await ui.interactionOption(option).check();
    await ui.submit.click();
    await page.keyboard.press("Escape");
  }
  await expect.poll(() => sent.length).toBeGreaterThan(0);
  expect(sent).toHaveLength(1);
  held.release();
  await expect(card).toContainText("Most common: Very little");
  await expect(card).toContainText("(1 review)");
  expect(await reviewsOf(environment, email)).toMatchObject([{ audience_interaction: "very_little" }]);
});

test("without a response a review times out after 30 s", async ({ page, ui, email, problems }) => {
  problems.expect(/^failed: net::ERR_ABORTED .*\/api\/reviews$/);
  await page.clock.install();
  await ui.signInAndOpen(email, "Matinee 45");
  await ui.notes.fill("Anybody there?");
  await page.route("**/api/reviews", () => {});
  for (let attempt = 0; attempt < 2; attempt++) {
    const sent = page.waitForRequest("**/api/reviews");
    await ui.submit.click();
    await sent;
    await expect(ui.dialog.getByRole("button", { name: "Submitting...", exact: true })).toBeVisible();
    // That of the first was removed at once, not after its reading time (docs/product.md §5.9).
    expect(await ui.toasts.getByRole("alert").count()).toBe(0);
    await page.clock.fastForward(30_000);
    await expectToast(page, toasts.failed);
    await expect(ui.notes).toHaveValue("Anybody there?");
  }
  await page.unrouteAll();
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
});

test("a press is painted before the dialog opens or a review is sent", async ({ page, ui, email, visit }) => {
  // The fake clock keeps frames and timers in order on a slow machine.
  await page.clock.install();
  await page.addInitScript(() => {
    const steps: string[] = [];
    Object.assign(window, { steps });
    addEventListener(
      "click",
      () => requestAnimationFrame(() => setTimeout(() => steps.push("painted"))),
      true,
    );
    const { showModal } = HTMLDialogElement.prototype;
    HTMLDialogElement.prototype.showModal = function () {
      steps.push("opened");
      showModal.call(this);
    };
    const { fetch } = window;
    window.fetch = (address, init) => {
      if (init?.method === "PUT") steps.push("sent");
      return fetch(address, init);
    };
  });
  await ui.signIn(email);
  await visit("/?search=matinee+59");
  const card = ui.card("Matinee 59");
  await ui.reviewButton(card).click();
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  const steps = () => page.evaluate(() => Reflect.get(window, "steps"));
  expect(await steps()).toEqual(["painted", "opened", "painted", "sent"]);

  await test.step("and both happen in a tab that paints no frames", async () => {
    await page.evaluate(() => Object.assign(window, { requestAnimationFrame: () => 0 }));
    await ui.reviewButton(card).click();
    await ui.interactionOption("Very little interaction").check();
    await ui.submit.click();
    await expect(card).toContainText("Most common: Very little");
    expect(await steps()).toHaveLength(6);
  });
});

test("a list change keeps the open dialog", async ({ page, ui, email, environment }) => {
  await ui.openSignedIn(email, "/?search=matinee+46");
  const card = ui.card("Matinee 46");
  const button = await ui.reviewButton(card).elementHandle();
  // The search begins when typing has paused, which is under the dialog.
  await ui.searchBox.fill("moth");
  await button?.dispatchEvent("click");
  await ui.notes.fill("Still about this one");
  await expect(ui.card("Moth Hour")).toBeAttached();
  await expect(card).toHaveCount(0);
  await expect(ui.notes).toHaveValue("Still about this one");
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await expect(page.locator("#shows")).toBeFocused();
  expect(await reviewsOf(environment, email)).toMatchObject([
    { title: "Matinee 46", notes: "Still about this one" },
  ]);
});

test("reviews that come or go elsewhere show on their cards", async ({ page, ui, email, environment }) => {
  const { db } = environment.database;
  const show = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.clock.install();
  await ui.openSignedIn(email, "/?search=matinee+4");
  const user_id = await userIdOf(environment, email);
  const card = ui.card("Matinee 48");
  await givenReview(db, { show_id: showIdOf("Matinee 48"), user_id });
  await show();
  await expect(card).toContainText("You reviewed this show");
  await givenReview(db, { show_id: showIdOf("Matinee 49"), user_id });
  await ui.reviewButton(ui.card("Matinee 49")).click();
  await expect(ui.dialog.getByText(/replaces your earlier review/)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");

  await waitUntilCounted(environment, "Matinee 48", { yes: 1 });
  await givenDeleted(db, "reviews", { user_id });
  await waitUntilCounted(environment, "Matinee 48", { yes: 0 });
  await page.clock.fastForward(3_000);
  await ui.searchBox.fill("matinee 48");
  await expect(card).toContainText("(0 reviews)");
  await show();
  await expect(card).not.toContainText("You reviewed this show");
});

test("any number of newer reviews leaves You reviewed this show", async ({
  page,
  ui,
  email,
  visit,
  environment,
}) => {
  const { db } = environment.database;
  await ui.signIn(email);
  await sql`insert into shows (id, title, year, status, listed)
    select 'left-' || n, 'Left ' || n, 2025, 'active', false from generate_series(1, 230) n`.execute(db);
  await sql`insert into reviews (show_id, user_id, audience_interaction, created_at)
    select shows.id, users.id, 'no', case when listed then '2025-08-01Z' else '2025-08-02Z' end::timestamptz
    from shows, users where email = ${email} and (title like 'Left %' or title = 'Matinee 77')`.execute(db);
  const response = Promise.withResolvers<void>();
  await page.route("**/api/reviews/mine", async (route) => {
    await response.promise;
    await route.continue();
  });
  await visit("/?search=matinee+7");
  const card = ui.card("Matinee 77");
  const button = ui.reviewButton(card);
  await button.scrollIntoViewIfNeeded();
  const place = await button.boundingBox();
  response.resolve();
  await expect(card).toContainText("You reviewed this show");
  // It moves no button.
  expect(await button.boundingBox()).toEqual(place);
  await expect(ui.card("Matinee 78")).not.toContainText("You reviewed this show");
});

test("a failed request for one's own reviews prevents no review", async ({
  page,
  ui,
  email,
  visit,
  problems,
}) => {
  problems.expect(/^console error: Your reviews could not be loaded/);
  problems.allow(/^503: /, /^console error: Failed to load resource/);
  await ui.signIn(email);
  await page.route("**/api/reviews/mine", (route) =>
    route.fulfill({ status: 503, json: { code: "unavailable", message: "Later." } }),
  );
  const logged = page.waitForEvent("console", (message) =>
    message.text().startsWith("Your reviews could not"),
  );
  await visit("/?search=matinee+50");
  // The dialog asks again, and the failure of a superseded request is not logged.
  await logged;
  const card = ui.card("Matinee 50");
  await ui.reviewButton(card).click();
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await expect(card).toContainText("You reviewed this show");
});
