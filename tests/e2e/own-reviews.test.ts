import { readFile } from "node:fs/promises";
import { YEAR } from "../../src/domain/programme.ts";
import { givenChanged, givenEarlier, givenReport, givenReviews, givenShows } from "../support/given.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToast, reviewsOf, thanks, userIdOf } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

const deletedAccount = ["Account deleted", "Your account and all your reviews are gone."] as const;

test("the keyboard changes, deletes and defends one's reviews", { tag: "@measures" }, async ({
  page,
  ui,
  email,
  environment,
}) => {
  await ui.openSignedIn(email, "/?search=matinee+2");
  const { db } = environment.database;
  const userId = await userIdOf(environment, email);
  const shows = await db
    .selectFrom("shows")
    .select(["id", "title"])
    .where("title", "like", "Matinee 2_")
    .execute();
  const goneTitle = `Gone for good ${"Gnurp".repeat(30)}`;
  await givenShows(db, [{ id: userId, title: goneTitle, year: YEAR - 1 }]);
  const reviews = [...shows, { id: userId }].map(({ id }, index) => ({
    show_id: id,
    user_id: userId,
    notes: `Note ${index}`,
    created_at: new Date(Date.UTC(2025, 7, 1, index)),
  }));
  const noteIds = await givenReviews(db, reviews);
  const hidden = { show_id: shows.at(-1)?.id ?? "", note_id: noteIds.at(-2) ?? "" };
  await givenChanged(db, "reviews", { hidden_rule: "personal_data" }, hidden);
  await givenReport(db, { ...hidden, author_id: userId });
  const control = page.getByRole("button", { name: "Your reviews", exact: true });
  await expect(control).toBeInViewport({ ratio: 1 });
  await control.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Your reviews", exact: true });
  const itemOf = (title: string) => dialog.getByRole("listitem").filter({ hasText: title });
  await expect(dialog.getByRole("heading", { name: "Your reviews" })).toBeFocused();
  await expect(dialog.getByText(`${reviews.length} reviews`, { exact: true })).toBeVisible();
  await expect(dialog.getByText(`Signed in as ${email}`)).toBeVisible();
  await expect(control).toHaveAccessibleDescription("A note of yours is hidden");
  await expect(dialog.getByRole("listitem").first()).toContainText("Gone for good");
  await expect(itemOf("Gone for good")).toContainText(`This show was at the Fringe in ${YEAR - 1}.`);
  await expect(itemOf("Gone for good").getByRole("button", { name: "Change" })).toHaveCount(0);
  const objected = itemOf(shows.at(-1)?.title ?? "");
  await expect(objected).toContainText("notes don't name or describe private people");
  await objected.getByText("Object", { exact: true }).click();
  await objected.getByRole("textbox").fill("It is my own name.");
  await expect(objected.getByText("18/500 characters")).toBeVisible();
  for (const width of [1100, 360]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await dialog.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
  }
  await expectAccessible(page);
  await objected.getByRole("button", { name: "Send objection" }).press("Enter");
  await expectToast(page, ["Objection sent", "A person will look at it."], "status");
  await expect(dialog.getByRole("heading", { name: "Your reviews" })).toBeFocused();
  await ui.toasts.getByRole("button", { name: "Dismiss notification" }).click();
  await expect(objected).toContainText("You have objected.");
  await expect(objected.getByText("Object", { exact: true })).toHaveCount(0);
  // Deleting asks once.
  const gone = itemOf("Gone for good");
  await gone.getByRole("button", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await expect(gone.getByRole("button", { name: "Delete review" })).toBeFocused();
  await gone.getByRole("button", { name: "Keep" }).press("Enter");
  await expect(gone.getByRole("button", { name: "Delete" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expectToast(page, ["Review deleted", goneTitle], "status");
  await expect(gone).toHaveCount(0);
  await expect(dialog.getByRole("heading", { name: "Your reviews" })).toBeFocused();
  await expect(dialog.getByText(`${shows.length} reviews`, { exact: true })).toBeVisible();
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download my data" }).press("Enter");
  const file = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
  expect(file.user.email).toBe(email);
  expect(file.reviews).toHaveLength(shows.length);
  // Changing starts from the earlier review, and leads back.
  const title = shows[0]?.title ?? "";
  const change = itemOf(title).getByRole("button", { name: "Change" });
  await change.press("Enter");
  await expect(page.getByRole("dialog", { name: `Review: ${title}` })).toBeVisible();
  await expect(ui.interactionOption("Yes, significant interaction")).toBeChecked();
  await expect(ui.notes).toHaveValue("Note 0");
  await expect(ui.notes).toBeFocused();
  await expect(ui.notes).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(change).toBeFocused();
  await page.keyboard.press("Enter");
  await ui.notes.fill("Changed");
  await ui.submit.press("Enter");
  await expectToast(page, thanks, "status");
  await expect(change).toBeFocused();
  await expect(itemOf(title)).toContainText("Changed");
  await page.keyboard.press("Escape");
  await expect(control).toBeFocused();
  const stored = await reviewsOf(environment, email);
  expect(stored).toContainEqual({ title, audience_interaction: "yes", notes: "Changed" });
  // A deleted review of a card on screen leaves the card at once.
  const card = ui.card(title);
  await expect(card.getByText("You reviewed this show")).toBeVisible();
  await page.keyboard.press("Enter");
  await itemOf(title).getByRole("button", { name: "Delete" }).press("Enter");
  await page.keyboard.press("Enter");
  await expect(itemOf(title)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(control).toBeFocused();
  await expect(card.getByText("You reviewed this show")).toHaveCount(0);
  await expect(card).toContainText("(0 reviews)");
  await expect(ui.notesButton(card, "1 note for Yes")).toHaveCount(0);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
});

test("an account is deleted after a sign-in", async ({ page, ui, email, visit, environment, problems }) => {
  problems.allow(/^40[03]: .*\/auth\/v1\//, /^console error: Failed to load resource/);
  problems.allow(/^failed: .*\/auth\/v1\/health/);
  const { db } = environment.database;
  const sessions = db.selectFrom("users").select("id").where("email", "=", email);
  await ui.signIn(email);
  const user_id = await userIdOf(environment, email);
  await givenEarlier(db, "sessions", ["created_at"], { minutes: 6 }, { user_id });
  await visit("/?search=matinee+3");
  await ui.reviewButton(ui.card("Matinee 37")).click();
  await ui.notes.fill("Never sent");
  await page.keyboard.press("Escape");
  // On wide screens the e-mail opens the dialog, too.
  await page.getByRole("button", { name: email, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your reviews" });
  const confirm = async (typed: string) => {
    await page.getByText("Delete my account", { exact: true }).click();
    await dialog.getByRole("textbox", { name: "Type your e-mail to confirm" }).fill(typed);
    await dialog.getByRole("button", { name: "Delete account" }).click();
  };
  await confirm(email);
  await expect(dialog.getByRole("alert")).toContainText("please sign in again");
  await expectAccessible(page);
  await page.route("**/auth/v1/health", (route) => route.abort("connectionreset"));
  await dialog.getByRole("button", { name: "Continue with Google" }).click();
  await expectToast(page, ["Sign in failed", "Please try again."], "alert");
  await expect(dialog.getByRole("textbox")).toHaveValue(email);
  await page.unrouteAll();
  await dialog.getByRole("button", { name: "Continue with Google" }).click();
  await ui.submitAccount(email);
  await ui.signOutButton.waitFor();
  await page.getByRole("button", { name: "Your reviews" }).click();
  await confirm("somebody@else.example");
  await expect(dialog.getByRole("alert")).toHaveText("This is not the e-mail of your account.");
  await dialog.getByRole("textbox").fill(email.toUpperCase());
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expectToast(page, deletedAccount, "status");
  await expect(ui.signInButton).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect(await sessions.execute()).toEqual([]);
  const left = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  expect(left.filter((key) => /session$|draft/.test(key))).toEqual([]);
});
