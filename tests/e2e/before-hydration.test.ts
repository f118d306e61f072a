import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect, holdScripts, untilInteractive } from "./support/test.ts";

test("clicks and typing before hydration count", async ({ page, api, ui, email, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 36", "yes", ["Loud."]);
  const card = ui.card("Matinee 36");
  async function act(address: string, press: () => Promise<unknown>): Promise<void> {
    const releaseScripts = await holdScripts(page);
    await page.goto(address, { waitUntil: "commit" });
    await press();
    releaseScripts();
  }

  await test.step("a filter, which loads a whole page", async () => {
    await act("/", async () => {
      await ui.filter("No Interaction").click();
      await expect(page).toHaveURL("/?interaction=no");
    });
    await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");
    await untilInteractive(page);
  });
  await test.step("a search", async () => {
    await act("/?interaction=no", () => ui.searchBox.fill("evening"));
    await expect(ui.summary).toHaveText(`Showing 1-20 of 24 shows for ${YEAR} matching "evening"`);
    await expect(ui.searchBox).toHaveValue("evening");
    expect(api.queries).toEqual(["?search=evening&interaction=no"]);
  });
  await test.step("a tally", async () => {
    await act("/?search=matinee+36", async () => {
      await card.getByText("Yes", { exact: true }).click();
      await page.mouse.move(0, 0);
    });
    await expect(ui.noteTexts(card)).toHaveText("Loud.");
  });
  await test.step("Review This Show, without and with a session", async () => {
    await act("/?search=matinee+36", () => ui.reviewButton(card).click());
    await expect(page.getByText("Please sign in to review shows.")).toBeVisible();
    await ui.signIn(email);
    await act("/?search=matinee+36", () => ui.reviewButton(card).click());
    await expect(page.getByRole("dialog", { name: "Review: Matinee 36", exact: true })).toBeVisible();
    await expect(ui.interactionOption("No audience interaction")).toBeFocused();
  });
  await test.step("Sign In", async () => {
    await page.evaluate(() => localStorage.clear());
    await act("/", () => ui.signInButton.click());
    await expect(page).toHaveTitle(/Google/);
  });
});
