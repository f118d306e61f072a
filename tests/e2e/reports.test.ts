import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

const SENT = "Thank you. A person will look at it.";

test("a note is reported with the keyboard", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 68", "yes", ["They picked my neighbour."]);
  await visit("/?search=matinee+68");
  const card = ui.card("Matinee 68");
  const tally = ui.notesButton(card, "1 note for Yes");
  await expect(tally).toBeVisible();
  await ui.reviewButton(card).focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  const notes = ui.openNotes(card);
  const report = notes.getByRole("button", { name: "Report", exact: true });
  // Notes that scroll are a Tab stop.
  for (const stop of (await notes.getAttribute("tabindex")) ? [notes, report] : [report]) {
    await page.keyboard.press("Tab");
    await expect(stop).toBeFocused();
  }
  expect((await report.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await page.keyboard.press("Enter");
  const { dialog } = ui;
  await expect(dialog.getByRole("heading")).toHaveText("Report a note");
  await expect(dialog).toContainText("They picked my neighbour.");
  await expect(dialog.getByRole("radio").first()).toBeFocused();
  await dialog.getByRole("radio", { name: "It is abusive" }).check();
  const details = dialog.getByRole("textbox", { name: "Details (optional)" });
  await details.fill("He did not like it.");
  await expect(dialog.getByText("19/300 characters")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ui.toasts).toContainText(SENT);
  await expect(tally).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(notes.getByRole("button", { name: "Reported", exact: true })).toHaveText("Reported ✓");
  const { db } = environment.database;
  const reasons = db.selectFrom("report_reasons").select(["reason", "text"]);
  const expected = [{ reason: "abusive" }];
  expect(await reasons.where("text", "=", "He did not like it.").execute()).toMatchObject(expected);
});
