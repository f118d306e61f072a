import type { Page } from "@playwright/test";
import { sql } from "kysely";
import { withOlderState } from "../support/accounts.ts";
import { type AccountsEnvironment, test } from "./support/accounts.ts";
import { expect, soakUnless } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

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
  const ui = uiOf(page);
  await (path === "/" ? ui.signInButton : ui.continueWith(name)).click();
}

/** Starts a sign-in, up to the provider's page, as if it had begun so many minutes ago. Returns its challenge. */
async function reachProvider(
  page: Page,
  { database: { db } }: AccountsEnvironment,
  start: Start,
  minutes: number,
): Promise<string | null> {
  let challenge: string | null = null;
  await page.route(
    "**/auth/v1/authorize?*",
    async (route) => {
      challenge = new URL(route.request().url()).searchParams.get("code_challenge");
      const response = await route.fetch({ maxRedirects: 0 });
      const headers = response.headers();
      const location = await withOlderState(db, headers.location ?? "", minutes * 60);
      await route.fulfill({ response, headers: { ...headers, location } });
    },
    { times: 1 },
  );
  await press(page, start);
  await expect(page).toHaveTitle(new RegExp(start[1]));
  return challenge;
}

for (const start of starts) {
  const [path, name] = start;

  test(
    `a sign-in of 16 minutes with ${name}, begun at ${path}, fails and says so; the next, of 14 minutes, works`,
    soakUnless(name === "Google"),
    async ({ page, ui, environment, email, visit }) => {
      await visit(path);
      await reachProvider(page, environment, start, 16);
      await ui.submitAccount(email);
      await expect(ui.toasts.getByRole("alert")).toContainText(tookTooLong[path]);
      await expect(page).toHaveURL(path);
      await reachProvider(page, environment, start, 14);
      await ui.submitAccount(email);
      await expect(ui.email(email)).toBeVisible();
    },
  );

  test(
    `a sign-in with ${name}, begun at ${path}, whose code comes too late says so`,
    soakUnless(name === "GitHub"),
    async ({ page, ui, environment, email, visit, problems }) => {
      problems.expect(/^422: .*\/auth\/v1\/token/, /^console error: Failed to load resource/);
      await visit(path);
      const challenge = await reachProvider(page, environment, start, 0);
      await page.route("**/auth/v1/token*", async (route) => {
        await sql`update sign_ins set expires_at = now() where challenge = ${challenge}`.execute(
          environment.database.db,
        );
        await route.continue();
      });
      await ui.submitAccount(email);
      await expect(ui.toasts.getByRole("alert")).toContainText(tookTooLong[path]);
      await expect(page).toHaveURL(path);
    },
  );
}
