import { deletePaths, newerPaths } from "../support/compatibility/newer-features.ts";
import { test } from "./support/accounts.ts";
import { expectToast, insertReviewsWithNotes, toasts } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

test("the site works without all that the oldest browsers lack", async ({
  page,
  ui,
  environment,
  email,
  visit,
}) => {
  await insertReviewsWithNotes(environment, "Moth Hour", "no", ["Nobody was picked."]);
  const script = `window.deletedCount = (${deletePaths})(${JSON.stringify(newerPaths())})`;
  await page.addInitScript(script);
  await visit("/");
  expect(await page.evaluate("deletedCount")).toBeGreaterThan(500);
  expect(await page.evaluate("typeof Promise.withResolvers + typeof ''.isWellFormed")).toBe(
    "undefinedundefined",
  );
  await ui.filter("No Interaction").click();
  await expect(page).toHaveURL("/?interaction=no");
  await ui.searchBox.fill("moth");
  await expect(ui.summary).toHaveText(/matching "moth"$/);
  const card = ui.card("Moth Hour");
  await ui.notesButton(card, "1 note for No").click();
  await expect(ui.noteTexts(card)).toHaveText("Nobody was picked.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(page).toHaveURL("/?interaction=no");
  await ui.searchBox.fill("moth");
  await expect(ui.summary).toHaveText(/matching "moth"$/);
  await ui.signInButton.click();
  await ui.submitAccount(email);
  await expect(ui.signOutButton).toBeVisible();
  await ui.reviewButton(card).click();
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("They asked for my name.");
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  await page.getByRole("button", { name: "Your reviews", exact: true }).click();
  const own = page.getByRole("dialog", { name: "Your reviews", exact: true });
  await expect(own.getByRole("heading", { name: "Moth Hour" })).toBeVisible();
  await own.getByRole("button", { name: "Close" }).click();
  await ui.signOutButton.click();
  await expect(ui.signInButton).toBeVisible();
});
