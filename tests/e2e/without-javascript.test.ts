import { test } from "./support/accounts.ts";
import { showIdOf } from "./support/programme.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

test.use({ javaScriptEnabled: false });

test("forms and links work, and no button does nothing", async ({ page, ui, visit }) => {
  await visit("/?interaction=no&page=2");
  await ui.searchBox.fill("evening 12");
  await ui.searchBox.press("Enter");
  await expect(page).toHaveURL("/?search=evening+12&interaction=no");
  await expect(ui.titles).toHaveText(["Quiet Evening 12"]);
  await expect(page.getByRole("main").getByText(/needs JavaScript/)).toBeVisible();
  for (const name of ["Review This Show", "Clear search", "Sign In"])
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  await page.getByRole("link", { name: "signing in" }).click();
  await expect(page.getByText("Signing in needs JavaScript.")).toBeVisible();
  await expect(ui.signInButton).toBeHidden();
});

test("a high note scrolls in its box, and can be reported", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 69", "no", [`${"Row\n".repeat(200)}The end.`]);
  const id = showIdOf("Matinee 69");
  await visit(`/?show=${id}`);
  const note = ui.card("Matinee 69").getByRole("listitem").filter({ hasText: "The end." });
  const box = note.locator(".note-box");
  await box.hover();
  const scrolled = async () => {
    // Again: the page may still be scrolling to the box.
    await page.mouse.wheel(0, 100_000);
    return box.evaluate((node) => node.scrollTop);
  };
  await expect.poll(scrolled).toBeGreaterThan(3_000);
  for (const name of ["Show all", "Report"])
    await expect(note.getByRole("button", { name, exact: true })).toHaveCount(0);
  await note.locator("summary").click();
  await note.getByRole("radio", { name: "It is not about the show" }).check();
  await note.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page).toHaveURL(`/?show=${id}&report=sent`);
  await expect(page.locator(".report-outcome")).toHaveText("Thank you. A person will look at it.", {
    useInnerText: true,
  });
});
