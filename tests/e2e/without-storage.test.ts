import type { Page } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { test } from "./support/accounts.ts";
import { expect, soakUnless, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const NOTHING_STORED = "This browser does not let the site keep anything, and signing in needs that.";

/** React Router reports that it cannot restore scroll positions. Nothing depends on it. */
const scrollPositions = /.*Access is denied for this document/;

const browsers: [name: string, script: () => void][] = [
  [
    "that refuses every access to storage",
    () => {
      const get = () => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      };
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
    },
  ],
  [
    "whose local storage is full",
    () => {
      for (let length = 4_000_000; length >= 1; length = Math.floor(length / 2)) {
        try {
          for (let entry = 0; ; entry++) localStorage.setItem(`${length} ${entry}`, "x".repeat(length));
        } catch {
          // Full for entries of this length.
        }
      }
    },
  ],
];

async function expectToBrowse(page: Page): Promise<void> {
  const ui = uiOf(page);
  await page.goto("/");
  await untilInteractive(page);
  await expect(ui.cards).toHaveCount(20);
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText(`Showing 21-40 of 130 shows for ${YEAR}`);
  await ui.searchBox.fill("sit");
  await expect(ui.summary).toHaveText(`Showing 1-1 of 1 show for ${YEAR} matching "sit"`);
  await ui.cards.first().getByRole("button", { name: "Review This Show" }).click();
  await expect(page.getByText("Please sign in to review shows.")).toBeVisible();
  await page.reload();
  await untilInteractive(page);
  await expect(ui.cards).toHaveCount(1);
}

async function expectToldBeforeLeaving(page: Page): Promise<void> {
  const ui = uiOf(page);
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
}

for (const [name, script] of browsers) {
  test(
    `a browser ${name} browses, and hears before it leaves that signing in needs it`,
    soakUnless(name === "that refuses every access to storage"),
    async ({ page, problems }) => {
      problems.allow(new RegExp(`^(console error|uncaught): ${scrollPositions.source}`));
      await page.addInitScript(script);
      await expectToBrowse(page);
      await expectToldBeforeLeaving(page);
    },
  );
}
