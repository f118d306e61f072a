import { readFile } from "node:fs/promises";
import { test } from "./support/accounts.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect, untilInteractive } from "./support/test.ts";

async function treesAfter(step: string): Promise<string[]> {
  const script = await readFile(new URL("../../docs/accessibility.md", import.meta.url), "utf8");
  const section = script.split(/^### \d+\. /m).find((text) => text.startsWith(`${step}\n`)) ?? "";
  return [...section.matchAll(/```yaml\n(.*?)```/gs)].map(([, tree]) => tree ?? "");
}

test("each step leads to the tree it shows", async ({ page, ui, environment, email, visit, problems }) => {
  // On a slow machine the debounce may elapse between two keys.
  problems.allow(/^failed: net::ERR_ABORTED .*search=m/);
  async function expectTreesAfter(step: string): Promise<void> {
    const trees = await treesAfter(step);
    expect(trees.length, `trees in the script after “${step}”`).toBeGreaterThan(0);
    for (const tree of trees) await expect(page.locator("body")).toMatchAriaSnapshot(tree);
  }
  const card = ui.card("Matinee 67");
  await insertReviewsWithNotes(environment, "Matinee 67", "yes", ["We all climbed.", "Loud."]);
  await visit("/");
  await expectTreesAfter("Open the list");
  await ui.searchBox.focus();
  await page.keyboard.type("matinee 67");
  await expectTreesAfter("Search");
  await ui.filter("Lots of Interaction").press("Space");
  await expectTreesAfter("Filter");
  await expect(page).toHaveTitle(/Lots of Interaction/);
  await expectTreesAfter("Read a card");
  await ui.notesButton(card, "2 notes for Yes").press("Enter");
  await expectTreesAfter("Open notes");
  await page.keyboard.press("Escape");
  await ui.reviewButton(card).press("Enter");
  await expectTreesAfter("Review without being signed in");
  await expect(ui.reviewButton(card)).toBeFocused();
  await ui.openSignedIn(email, page.url());
  await untilInteractive(page);
  await ui.reviewButton(card).press("Enter");
  await expectTreesAfter("Open the dialog");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Shoes off.");
  await ui.submit.press("Enter");
  await expectTreesAfter("Send a review");
  await expect(ui.reviewButton(card)).toBeFocused();
  await ui.signOutButton.press("Enter");
  await expectTreesAfter("Sign out");
});
