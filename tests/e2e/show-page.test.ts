import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect } from "./support/test.ts";

declare global {
  interface Window {
    /** What the page has shared. */
    shared?: ShareData;
  }
}

const TITLE = "Matinee 40";

test("a shared link leads to the show with its notes", async ({ page, context, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, TITLE, "yes", ["I was <i>picked</i>.", "So was I.\nTwice."]);
  await insertReviewsWithNotes(environment, TITLE, "no", ["Nobody asked me."]);
  await context.grantPermissions(["clipboard-write"]);
  await visit("/?search=matinee+40");
  const share = ui.card(TITLE).getByRole("link", { name: "Share", exact: true });
  await expect(share).toHaveAccessibleDescription(TITLE);
  await share.click();
  await expect(ui.toasts).toContainText("Link copied");
  const url = await share.evaluate((link: HTMLAnchorElement) => link.href);

  await visit(url);
  await expect(ui.summary).toHaveText("Showing 1-1 of 1 show for 2025");
  await expect(page).toHaveTitle(`${TITLE} – Front Row?`);
  const notes = ui.card(TITLE).locator(".open-notes");
  await expect(notes.getByRole("heading")).toHaveText(["Notes for No", "Notes for Yes"]);
  await expect(notes.getByRole("paragraph")).toHaveText([
    "Nobody asked me.",
    "I was <i>picked</i>.",
    "So was I.\nTwice.",
  ]);
  await expectAccessible(page);
  const canonical = page.locator("link[rel=canonical]");
  await expect(canonical).toHaveAttribute("href", url);

  await page.getByRole("link", { name: "All shows", exact: true }).click();
  await expect(page).toHaveURL("/");
  await expect(ui.cards).toHaveCount(20);
  await expect(page.locator("#shows")).toBeFocused();
  await expect(canonical).toHaveAttribute("href", new URL("/", url).href);
  await page.goBack();
  await expect(notes.first()).toContainText("Nobody asked me.");
  await expect(canonical).toHaveAttribute("href", url);
  await ui.filter("No Interaction").click();
  await expect(page).toHaveURL("/?interaction=no");
});

test("Share opens the system's dialog where there is one", async ({ page, ui, visit }) => {
  await page.addInitScript(() => {
    navigator.share = async (data) => {
      window.shared = data;
    };
  });
  await visit("/?search=moth");
  const share = ui.card("Moth Hour").getByRole("link", { name: "Share", exact: true });
  await share.click();
  const url = await share.evaluate((link: HTMLAnchorElement) => link.href);
  await expect.poll(() => page.evaluate(() => window.shared)).toEqual({ title: "Moth Hour", url });
  await expect(ui.messages).toHaveCount(0);
});

test("an unknown show is an empty list that leads to all shows", async ({ page, ui, visit, problems }) => {
  problems.expect(/404/);
  await visit("/?show=nothing");
  await expect(ui.summary).toHaveText("No shows found");
  await expectAccessible(page);
  await page.getByRole("link", { name: "All shows", exact: true }).click();
  await expect(ui.cards).toHaveCount(20);
});
