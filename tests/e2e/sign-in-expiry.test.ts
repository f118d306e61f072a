import type { Page } from "@playwright/test";
import { sql } from "kysely";
import { type AccountsEnvironment, accountsOf, test } from "./support/accounts.ts";
import { expect, once } from "./support/test.ts";

const tookTooLong = {
  "/": /Sign in failed.*It took too long\. Please press Sign In again\./,
  "/auth": /Error.*Signing in took too long\. Please press the button again\./,
};

const starts = [
  ["/", "Google"],
  ["/auth", "GitHub"],
] as const;

type Start = (typeof starts)[number];

async function press(page: Page, [path, name]: Start): Promise<void> {
  const accounts = accountsOf(page);
  await (path === "/" ? accounts.signInButton : accounts.continueWith(name)).click();
}

/** Starts a sign-in, up to the provider's page. Returns a function that makes the sign-in older. */
async function reachProvider(page: Page, { database: { db } }: AccountsEnvironment, start: Start) {
  const leaving = page.waitForRequest("**/auth/v1/authorize?*");
  await press(page, start);
  const challenge = new URL((await leaving).url()).searchParams.get("code_challenge");
  await expect(page).toHaveTitle(new RegExp(start[1]));
  return async (minutes: number) => {
    await sql`update flows set expires_at = expires_at - make_interval(mins => ${minutes})
      where challenge = ${challenge}`.execute(db);
  };
}

for (const start of starts) {
  const [path, name] = start;

  test(
    `a sign-in of 16 minutes with ${name}, begun at ${path}, fails and says so; the next, of 14 minutes, works`,
    once,
    async ({ page, accounts, environment, email, visit, list }) => {
      await visit(path);
      const makeOlder = await reachProvider(page, environment, start);
      await makeOlder(16);
      await accounts.submitAccount(email);
      await expect(list.toasts.getByRole("alert")).toContainText(tookTooLong[path]);
      await expect(page).toHaveURL(path);
      const makeNextOlder = await reachProvider(page, environment, start);
      await makeNextOlder(14);
      await accounts.submitAccount(email);
      await expect(accounts.email(email)).toBeVisible();
    },
  );

  test(
    `a sign-in with ${name}, begun at ${path}, whose code comes too late says so`,
    once,
    async ({ page, accounts, environment, email, visit, list, problems }) => {
      problems.expect(/^422: .*\/auth\/v1\/token/, /^console error: Failed to load resource/);
      await visit(path);
      const makeOlder = await reachProvider(page, environment, start);
      await page.route("**/auth/v1/token*", async (route) => {
        await makeOlder(20);
        await route.continue();
      });
      await accounts.submitAccount(email);
      await expect(list.toasts.getByRole("alert")).toContainText(tookTooLong[path]);
      await expect(page).toHaveURL(path);
    },
  );
}
