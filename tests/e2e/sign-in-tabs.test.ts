import type { BrowserContext, Page } from "@playwright/test";
import { storedSession, test } from "./support/accounts.ts";
import { expect, soak, soakUnless, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

/**
 * Starts a sign-in in a new tab, up to the provider's page: Google from the list, GitHub from the sign-in
 * page.
 */
async function openTabAtProvider(context: BrowserContext, name: "Google" | "GitHub"): Promise<Page> {
  const page = await context.newPage();
  await page.goto(name === "Google" ? "/" : "/auth");
  await untilInteractive(page);
  const ui = uiOf(page);
  await (name === "Google" ? ui.signInButton : ui.continueWith(name)).click();
  await expect(page).toHaveTitle(new RegExp(name));
  return page;
}

/** Completes a tab's sign-in, which ends on the list with a clean address and without a toast. */
async function expectToComplete(page: Page, email: string): Promise<void> {
  const ui = uiOf(page);
  await ui.submitAccount(email);
  await expect(page).toHaveURL("/");
  await expect(ui.email(email)).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
}

test.describe("sign-ins that are begun in several tabs all complete", () => {
  for (const [name, providers, order] of [
    ["at different providers, the last one first", ["Google", "GitHub"], [1, 0]],
    ["four, in an order of their own", ["Google", "GitHub", "GitHub", "Google"], [2, 0, 3, 1]],
  ] as const) {
    test(name, soakUnless(providers.length === 2), async ({ context, environment }) => {
      const tabs: Page[] = [];
      for (const provider of providers) tabs.push(await openTabAtProvider(context, provider));
      for (const index of order) {
        const email = `tab-${index}-${crypto.randomUUID()}@people.example`;
        const tab = tabs[index];
        if (!tab) throw new Error(`There is no tab ${index}`);
        await expectToComplete(tab, email);
        expect((await storedSession(context, environment.origin))?.user.email).toBe(email);
      }
      const left = await tabs[0]?.evaluate(() => Object.keys(localStorage));
      expect(left?.filter((key) => key.endsWith("-code-verifier"))).toEqual([]);
    });
  }
});

test("a sign-in that is denied in one tab leaves that of another one", soak, async ({ context, email }) => {
  const denied = await openTabAtProvider(context, "GitHub");
  const other = await openTabAtProvider(context, "Google");
  await uiOf(denied).submitAccount("", { press: "Deny" });
  await expect(denied.getByRole("alert")).toContainText("The user has denied your application access");
  await expect(denied).toHaveURL("/auth");
  await expectToComplete(other, email);
});

test(
  "a sign-in that was left by the Back button completes after a second one was begun",
  soak,
  async ({ page, context, ui, email, visit }) => {
    await visit("/auth");
    await ui.continueWith("GitHub").click();
    await expect(page).toHaveTitle(/GitHub/);
    const first = page.url();
    await page.goBack();
    await visit("/auth");
    await ui.continueWith("Google").click();
    await expect(page).toHaveTitle(/Google/);
    const other = await context.newPage();
    await other.goto(first);
    await expectToComplete(other, email);
    await expectToComplete(page, `other-${email}`);
  },
);
