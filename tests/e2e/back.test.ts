import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expectToast, insertReviewsWithNotes, thanks } from "./support/review-ui.ts";
import { expect, phone } from "./support/test.ts";
import { expectOnTop } from "./support/ui.ts";

test.use(phone);

/** Where the page is in the history of its tab, from what the router keeps in each entry. */
const historyIndex = (page: Page) => page.evaluate(() => history.state.idx);

test("Back closes the review dialog, and keeps what was typed", async ({ page, ui, email, api }) => {
  await ui.openSignedIn(email, "/");
  await ui.searchBox.fill("matinee 7");
  await expect(ui.summary).toContainText('matching "matinee 7"');
  const [address, index] = [page.url(), await historyIndex(page)];
  const card = ui.card("Matinee 73");
  const button = ui.reviewButton(card);
  await button.tap();
  await expect.poll(() => historyIndex(page)).toBe(index + 1);
  expect(page.url()).toBe(address);
  await ui.dialog.getByText("Very little interaction", { exact: true }).tap();
  await ui.notes.tap();
  await page.keyboard.insertText("Not finished");
  await page.goBack();
  await expect(ui.dialog).toHaveCount(0);
  await expect(button).toBeFocused();
  expect(page.url()).toBe(address);
  // Forward leads nowhere: otherwise the next Back would only undo it.
  await page.goForward();
  await expect.poll(() => historyIndex(page)).toBe(index);
  await expect(ui.dialog).toHaveCount(0);
  await expect(ui.summary).toContainText('matching "matinee 7"');
  // Closed in another way, the dialog leaves no history entry.
  const read = api.queries.length;
  for (const [kept, close] of [
    ["Not finished", () => page.keyboard.press("Escape")],
    ["Not finished", () => ui.cancel.tap()],
    ["", () => ui.submit.tap()],
  ] as const) {
    await ui.open(card);
    await expect(ui.notes).toHaveValue(kept);
    await close();
    await expect(ui.dialog).toHaveCount(0);
    expect(await historyIndex(page)).toBe(index);
  }
  await expectToast(page, thanks, "status");
  await expect(button).toBeFocused();
  await expectOnTop(button);
  expect(api.queries.length).toBe(read);
  await page.goBack();
  await expect(ui.searchBox).toHaveValue("");
  await expect(page).toHaveURL("/");
});

test("Back closes Your reviews, and leads back to it from a change", async ({ page, ui, email }) => {
  await ui.openSignedIn(email, "/?search=matinee+74");
  const index = await historyIndex(page);
  const card = ui.card("Matinee 74");
  await ui.open(card);
  await ui.submit.click();
  await expect(ui.dialog).toHaveCount(0);
  const control = page.getByRole("button", { name: "Your reviews", exact: true });
  await control.click();
  const own = page.getByRole("dialog", { name: "Your reviews", exact: true });
  await own.getByRole("button", { name: "Delete", exact: true }).click();
  await page.goBack();
  await expect(own).toHaveCount(0);
  await expect(control).toBeFocused();
  await control.click();
  await own.getByRole("button", { name: "Change", exact: true }).click();
  await expect(ui.notes).toBeVisible();
  await expect.poll(() => historyIndex(page)).toBe(index + 1);
  await page.goBack();
  // Changing leads back to the list of reviews.
  await expect(own).toBeVisible();
  await expect.poll(() => historyIndex(page)).toBe(index + 1);
  await own.getByRole("button", { name: "Close", exact: true }).click();
  await expect(own).toHaveCount(0);
  expect(await historyIndex(page)).toBe(index);
  await expect(card.getByText("You reviewed this show")).toBeVisible();
});

test("a search or a reload under the dialog leaves no idle step", async ({ page, ui, api, email }) => {
  await ui.openSignedIn(email, "/");
  await ui.filter("No Interaction").click();
  await expect(page).toHaveURL("/?interaction=no");
  await ui.open(ui.cards.first());
  await expect.poll(() => page.evaluate(() => history.state.cover)).toBe(true);
  await test.step("two steps back at once close it and show the list before", async () => {
    await page.evaluate(() => history.go(-2));
    await expect(ui.dialog).toHaveCount(0);
    await expect(page).toHaveURL("/");
    await expect(ui.summary).toHaveText(`Showing 1-20 of 130 shows for ${YEAR}`);
  });
  await page.goForward();
  await expect(page).toHaveURL("/?interaction=no");
  // Other tests add reviews meanwhile.
  await expect(ui.summary).toHaveText(/^Showing 1-20 of \d\d shows/);
  await ui.searchBox.fill("quiet");
  await ui.reviewButton(ui.cards.first()).dispatchEvent("click");
  await expect(ui.dialog).toBeVisible();
  await expect(ui.summary).toContainText('matching "quiet"');
  await page.goBack();
  await expect(ui.dialog).toHaveCount(0);
  await expect(ui.summary).toContainText('matching "quiet"');
  await page.goBack();
  await expect(ui.searchBox).toHaveValue("");
  await expect(page).toHaveURL("/?interaction=no");
  const index = await historyIndex(page);
  await ui.open(ui.cards.first());
  await ui.notes.fill("Kept");
  await expect.poll(() => historyIndex(page)).toBe(index + 1);
  const read = api.queries.length;
  await page.reload();
  await ui.signOutButton.waitFor();
  await expect.poll(() => historyIndex(page)).toBe(index);
  await expect(page).toHaveURL("/?interaction=no");
  await ui.open(ui.cards.first());
  await expect(ui.notes).toHaveValue("Kept");
  // The router must not see the step: hydration would meet a loading list.
  expect(api.queries.length).toBe(read);
});

test("Back closes open notes, and a report over them first", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 76", "no", ["Calm."]);
  await insertReviewsWithNotes(environment, "Matinee 76", "yes", ["Loud."]);
  await visit("/");
  await ui.searchBox.fill("matinee 76");
  await expect(ui.summary).toContainText("matching");
  const card = ui.card("Matinee 76");
  const notes = ui.openNotes(card);
  const loud = ui.notesButton(card, "1 note for Yes");
  const calm = ui.notesButton(card, "1 note for No");
  const index = await historyIndex(page);
  await loud.tap();
  await expect(notes).toContainText("Loud.");
  await calm.tap();
  await expect(notes).toContainText("Calm.");
  await expect.poll(() => historyIndex(page)).toBe(index + 1);
  await page.goBack();
  await expect(notes).toHaveCount(0);
  await expect(ui.searchBox).toHaveValue("matinee 76");
  for (const close of [
    () => loud.tap(),
    () => notes.getByRole("button", { name: "Close notes" }).tap(),
    () => page.getByText("Edinburgh Fringe Festival Show Reviews").tap(),
    () => page.keyboard.press("Escape"),
  ]) {
    await loud.tap();
    await expect(notes).toContainText("Loud.");
    await close();
    await expect(notes).toHaveCount(0);
    await expect.poll(() => historyIndex(page)).toBe(index);
  }

  await loud.tap();
  await notes.getByRole("button", { name: "Report", exact: true }).tap();
  await expect(ui.dialog).toBeVisible();
  await page.goBack();
  await expect(ui.dialog).toHaveCount(0);
  await expect(notes).toHaveCount(0);
  expect(await historyIndex(page)).toBe(index);
  await page.goBack();
  await expect(ui.searchBox).toHaveValue("");
});
