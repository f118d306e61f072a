import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { expectToast } from "./support/review-ui.ts";
import { expect, holdScripts, test, untilInteractive } from "./support/test.ts";

async function changeDocuments(page: Page, changes: Change[]): Promise<void> {
  await page.route(
    ({ pathname }) => pathname === "/",
    async (route) => {
      const response = await route.fetch();
      let html = await response.text();
      for (const change of changes) {
        expect(change(html)).not.toBe(html);
        html = change(html);
      }
      await route.fulfill({ response, body: html });
    },
  );
}

const hiddenEmail =
  '<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="d2bbbcb4bd">[email&#160;protected]</a>';
type Change = (html: string) => string;

/** Hidden e-mail addresses, a rewritten text, and a removed element. */
const renderedAnew: Change[] = [
  (html) => html.replace(/(<h3[^>]*>)/g, `$1${hiddenEmail}`),
  (html) => html.replace("Audience Interaction</h", "Audience interaction</h"),
  (html) => html.replace(/<h3.*?<\/h3>/, ""),
];

test("a document with changed content keeps typed text and a click", async ({ page, ui, problems }) => {
  problems.allow(/cdn-cgi/, /^console error: Failed to load resource/);
  problems.expect(/^console error: The page was changed on its way/);
  await changeDocuments(page, renderedAnew);
  const releaseScripts = await holdScripts(page);
  await page.goto("/?interaction=no", { waitUntil: "commit" });
  await ui.searchBox.fill("evening");
  // Without the focus that a mouse would move.
  await ui.reviewButton(ui.cards.nth(3)).dispatchEvent("click");
  releaseScripts();
  await untilInteractive(page);
  await expectToast(page, ["Sign in required", "Please sign in to review shows."], "status");
  await expect(ui.searchBox).toHaveValue("evening");
  await expect(ui.searchBox).toBeFocused();
  await expect(ui.summary).toHaveText(/matching "evening"$/);
  await page.keyboard.type("s");
  await expect(ui.searchBox).toHaveValue("evenings");
  await expect(ui.summary).toHaveText("No shows found");
  await ui.searchBox.fill("");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 28 shows for ${YEAR}`);
});
