import { banUser } from "../../src/accounts/end-account.server.ts";
import { givenDeleted, givenReview } from "../support/given.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { showIdOf } from "./support/programme.ts";
import { expectToast, userIdOf, waitUntilCounted } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

const HOUR = 60 * 60_000;
const mistake = "If you think that this is a mistake, write to:";

test("a refresh says that the account was banned", async ({ page, ui, email, environment, problems }) => {
  problems.expect(/^400: .*grant_type=refresh_token/, /^console error: Failed to load resource/);
  await page.clock.install();
  await ui.openSignedIn(email, "/?search=haggis");
  const id = (await storedSession(page.context(), environment.origin))?.user.id ?? "";
  await banUser(environment.database.db, id, { removeReviews: false });
  // The access token has expired, too.
  await page.clock.fastForward(2 * HOUR);
  await expectToast(page, ["Error", `This account was banned: it may not sign in here any more. ${mistake}`]);
  await expectAccessible(page);
  await ui.signInButton.click();
  await ui.submitAccount(email);
  await expectToast(page, ["Sign in failed", `This account may not sign in here any more. ${mistake}`]);
  await expect(ui.toasts.getByRole("link", { name: "ada@front-row.example" })).toBeVisible();
  await expect(page).toHaveURL("/?search=haggis");
});

test("reviews written or deleted elsewhere show on their cards", async ({ page, ui, email, environment }) => {
  const { db } = environment.database;
  const show = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.clock.install();
  await ui.openSignedIn(email, "/?search=matinee+48");
  const user_id = await userIdOf(environment, email);
  const card = ui.card("Matinee 48");
  const button = ui.reviewButton(card);
  await button.scrollIntoViewIfNeeded();
  const place = await button.boundingBox();
  await givenReview(db, { show_id: showIdOf("Matinee 48"), user_id });
  await show();
  await expect(card).toContainText("You reviewed this show");
  expect(await button.boundingBox()).toEqual(place);
  await waitUntilCounted(environment, "Matinee 48", { yes: 1 });
  await givenDeleted(db, "reviews", { user_id });
  await waitUntilCounted(environment, "Matinee 48", { yes: 0 });
  await page.clock.fastForward(3_000);
  await ui.searchBox.fill("matinee 4");
  await expect(card).toContainText("(0 reviews)");
  await show();
  await expect(card).not.toContainText("You reviewed this show");
});
