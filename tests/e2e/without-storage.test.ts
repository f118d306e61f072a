import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expect, untilInteractive } from "./support/test.ts";

const NOTHING_STORED = "This browser does not let the site keep anything, and signing in needs that.";

/** React Router reports that it cannot restore scroll positions. Nothing depends on it. */
const scrollPositions = /.*Access is denied for this document/;

test("without storage one browses, and Sign In says what it needs", async ({ page, ui, visit, problems }) => {
  problems.allow(new RegExp(`^(console error|uncaught): ${scrollPositions.source}`));
  await page.addInitScript(() => {
    const get = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
  });
  await visit("/");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
  await ui.searchBox.fill("sit");
  await expect(ui.summary).toHaveText(`Showing 1-1 of 1 show for ${YEAR} matching "sit"`);
  await ui.reviewButton(ui.cards).click();
  await expect(page.getByText("Please sign in to review shows.")).toBeVisible();
  await page.reload();
  await untilInteractive(page);
  await expect(ui.cards).toHaveCount(1);
  for (const [address, button] of [
    ["/", ui.signInButton],
    ["/auth", ui.continueWith("GitHub")],
  ] as const) {
    await page.goto(address);
    await button.click();
    await expect(ui.toasts.getByRole("alert")).toContainText(NOTHING_STORED);
    await expect(ui.toasts.getByRole("alert")).toHaveCount(1);
    await expect(page).toHaveURL(address);
  }
});
