import { test } from "./support/accounts.ts";
import { showIdOf } from "./support/programme.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

test.use({ javaScriptEnabled: false });

test("forms and links work, and no button does nothing", async ({ page, ui, visit }) => {
  await visit("/?interaction=no&page=2");
  await ui.searchBox.fill("evening");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText('Showing 21-24 of 24 shows for 2025 matching "evening"');
  await ui.filter("All Shows").click();
  await expect(page).toHaveURL("/?search=evening");
  await page.goBack();
  await page.goBack();
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await ui.searchBox.fill("evening 12");
  await ui.searchBox.press("Enter");
  await expect(ui.titles).toHaveText(["Quiet Evening 12"]);
  await expect(page.getByRole("main").getByText(/needs JavaScript/)).toBeVisible();
  for (const name of ["Review This Show", "Clear search", "Sign In"])
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  await page.getByRole("link", { name: "signing in" }).click();
  await expect(page.getByText("Signing in needs JavaScript.")).toBeVisible();
  await expect(ui.signInButton).toBeHidden();
});

test("a note is reported on the page of its show", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 69", "no", ["Nobody asked me."]);
  const id = showIdOf("Matinee 69");
  await visit(`/?show=${id}`);
  const note = ui.card("Matinee 69").getByRole("listitem").filter({ hasText: "Nobody asked me." });
  await expect(note.getByRole("button", { name: "Report", exact: true })).toHaveCount(0);
  await note.locator("summary").click();
  await note.getByRole("radio", { name: "It is not about the show" }).check();
  await note.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page).toHaveURL(`/?show=${id}&report=sent`);
  await expect(page.locator(".report-outcome")).toHaveText("Thank you. A person will look at it.", {
    useInnerText: true,
  });
});
