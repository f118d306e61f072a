import { YEAR } from "../../src/domain/programme.ts";
import { givenReview, givenUser } from "../support/given.ts";
import { test } from "./support/accounts.ts";
import { showIdOf } from "./support/programme.ts";
import { expectToast, reviewsOf, toasts, waitUntilCounted } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

test("in an outage one browses, and a review waits", async ({ page, ui, email, environment, problems }) => {
  problems.allow(/^503: .*\/(api\/reviews|auth\/v1\/)/, /^console error: Failed to load resource/);
  problems.allow(/^console error: (Reviews|Your reviews) could not be loaded/);
  await ui.signInAndOpen(email, "Matinee 71");
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("The lights went out");
  environment.relay.cut();
  await ui.submit.click();
  await expectToast(page, toasts.failed);
  await expect(ui.notes).toHaveValue("The lights went out");
  await page.keyboard.press("Escape");
  await expect(ui.dialog).toHaveCount(0);
  await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
  await ui.searchBox.fill("");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
  await page.goto("/?search=matinee+71");
  await expect(ui.email(email)).toBeVisible();
  await ui.reviewButton(ui.card("Matinee 71")).click();
  await expect(ui.notes).toHaveValue("The lights went out");
  await expect(ui.interactionOption("Yes, significant interaction")).toBeChecked();
  expect(await reviewsOf(environment, email)).toEqual([]);
  // By a server that still reaches the database.
  const { db } = environment.database;
  await givenReview(db, { show_id: showIdOf("Matinee 72"), user_id: await givenUser(db) });
  environment.relay.restore();
  await expect(async () => {
    await ui.submit.click();
    await expectToast(page, toasts.thanks, "status");
  }).toPass();
  const expected = [{ title: "Matinee 71", notes: "The lights went out" }];
  expect(await reviewsOf(environment, email)).toMatchObject(expected);
  await waitUntilCounted(environment, "Matinee 72", { yes: 1 });
  await page.goto("/?search=matinee+72");
  await expect(ui.card("Matinee 72").getByText("(1 review)", { exact: true })).toBeVisible();
});
