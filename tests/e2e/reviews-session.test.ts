import { banUser } from "../../src/accounts/end-account.server.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast } from "./support/review-ui.ts";
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
