import type { Page } from "@playwright/test";
import { type AccountsEnvironment, test } from "./support/accounts.ts";
import { expect, soak, soakUnless, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

/** The authorization endpoints of the providers. */
const paths = { Google: "/auth", GitHub: "/login/oauth/authorize" };

/** Starts a sign-in, up to the provider's page, and returns the `prompt` that the provider got. */
async function reachProvider(page: Page, { providers }: AccountsEnvironment, name: "Google" | "GitHub") {
  const ui = uiOf(page);
  await untilInteractive(page);
  await (name === "Google" ? ui.signInButton : ui.continueWith(name)).click();
  await expect(page).toHaveTitle(new RegExp(name));
  const { requests } = name === "Google" ? providers.google : providers.github;
  const request = requests.findLast((line) => line.startsWith(`GET ${paths[name]}?`)) ?? "";
  return new URLSearchParams(request.split("?")[1]).get("prompt");
}

for (const [name, path] of [
  ["Google", "/"],
  ["GitHub", "/auth"],
] as const) {
  test(
    `${name} asks for the account after Sign Out, in every tab, until somebody signs in`,
    soakUnless(name === "Google"),
    async ({ page, ui, environment, email, visit, context }) => {
      await visit(path);
      expect(await reachProvider(page, environment, name)).toBeNull();
      await ui.submitAccount(email);
      await ui.signOutButton.click();
      await ui.signInButton.waitFor();

      await visit(path);
      expect(await reachProvider(page, environment, name)).toBe("select_account");
      // The provider's page takes the place of /auth, not that of the ui.
      await (path === "/auth" ? visit(path) : page.goBack());
      expect(await reachProvider(page, environment, name)).toBe("select_account");
      const other = await context.newPage();
      await other.goto(path);
      expect(await reachProvider(other, environment, name)).toBe("select_account");
      await ui.submitAccount(email);
      await expect(ui.email(email)).toBeVisible();

      await page.evaluate(() => localStorage.removeItem("front-row-session"));
      await visit(path);
      expect(await reachProvider(page, environment, name)).toBeNull();
    },
  );
}

test(
  "a sign-in that is given up after Sign Out leaves the question for the next one, at the other provider too",
  soak,
  async ({ page, ui, environment, email, visit }) => {
    await ui.openSignedIn(email);
    await ui.signOutButton.click();
    await ui.signInButton.waitFor();
    expect(await reachProvider(page, environment, "Google")).toBe("select_account");
    await ui.submitAccount("", { press: "Deny" });
    await expect(ui.toasts.getByRole("alert")).toBeVisible();
    await visit("/auth");
    expect(await reachProvider(page, environment, "GitHub")).toBe("select_account");
  },
);

test(
  "a session that ended without Sign Out asks no question",
  soak,
  async ({ page, ui, environment, email, visit }) => {
    await ui.openSignedIn(email);
    await page.evaluate(() => localStorage.removeItem("front-row-session"));
    await visit("/");
    expect(await reachProvider(page, environment, "Google")).toBeNull();
  },
);
