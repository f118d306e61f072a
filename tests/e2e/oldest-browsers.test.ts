import { deletePaths, newerPaths } from "../support/compatibility/delete-newer.ts";
import { expectToast, insertReviewsWithNotes, test, toasts } from "./support/review-ui.ts";
import { expect, once } from "./support/test.ts";

test(
  "without all that the oldest browsers lack, visitors search, read notes, sign in, review and see their reviews",
  once,
  async ({ page, accounts, environment, email, list, reviewUi, visit }) => {
    await insertReviewsWithNotes(environment, "Moth Hour", "no", ["Nobody was picked."]);
    const script = `window.deletedCount = (${deletePaths})(${JSON.stringify(newerPaths())})`;
    await page.addInitScript(script);
    await visit("/");
    expect(await page.evaluate("deletedCount")).toBeGreaterThan(500);
    expect(await page.evaluate("typeof Promise.withResolvers + typeof ''.isWellFormed")).toBe(
      "undefinedundefined",
    );
    await list.filter("No Interaction").click();
    await expect(page).toHaveURL("/?interaction=no");
    await list.searchBox.fill("moth");
    await expect(list.summary).toHaveText(/matching "moth"$/);
    const card = list.card("Moth Hour");
    await reviewUi.notesButton(card, "1 note for No").click();
    await expect(reviewUi.noteTexts(card)).toHaveText("Nobody was picked.");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(page).toHaveURL("/?interaction=no");
    await list.searchBox.fill("moth");
    await expect(list.summary).toHaveText(/matching "moth"$/);
    await accounts.signInButton.click();
    await accounts.submitAccount(email);
    await expect(accounts.signOutButton).toBeVisible();
    await reviewUi.reviewButton(card).click();
    await reviewUi.interactionOption("Yes, significant interaction").check();
    await reviewUi.notes.fill("They asked for my name.");
    await reviewUi.submit.click();
    await expectToast(page, toasts.thanks, "status");
    await page.getByRole("button", { name: "Your reviews", exact: true }).click();
    const own = page.getByRole("dialog", { name: "Your reviews", exact: true });
    await expect(own.getByRole("heading", { name: "Moth Hour" })).toBeVisible();
    await own.getByRole("button", { name: "Close" }).click();
    await accounts.signOutButton.click();
    await expect(accounts.signInButton).toBeVisible();
  },
);

test(
  "a press that needs what the browser lacks is an error in the console, and no failure of the network",
  once,
  async ({ page, email, list, reviewUi, problems }) => {
    problems.expect(/^console error: .*Promise\.race is not a function/);
    await reviewUi.signInAndOpen(email, "Moth Hour");
    await reviewUi.notes.fill("I was asked to dance.");
    await page.evaluate(() => Reflect.deleteProperty(Promise, "race"));
    await reviewUi.submit.click();
    await expectToast(page, ["Error", "An unexpected error occurred"]);
    await expect(list.toasts.getByText(/try again/)).toHaveCount(0);
    await expect(reviewUi.notes).toHaveValue("I was asked to dance.");
    await expect(reviewUi.submit).toBeEnabled();
  },
);
