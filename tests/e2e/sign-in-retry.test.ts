import type { Page } from "@playwright/test";
import { NO_SERVER } from "../support/balancer.ts";
import { type AccountsEnvironment, test } from "./support/accounts.ts";
import { expect, soak, soakUnless, untilInteractive } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const callbackPattern = "**/auth/v1/callback?*";

/** Opens the page and starts a sign-in, up to the provider's page. */
async function reachProvider(page: Page, path: "/" | "/auth", name: "Google" | "GitHub"): Promise<void> {
  const ui = uiOf(page);
  await page.goto(path);
  await untilInteractive(page);
  await (path === "/" ? ui.signInButton : ui.continueWith(name)).click();
  await expect(page).toHaveTitle(new RegExp(name));
}

test.describe("when the response to the provider's return is lost, and the browser sends it again", () => {
  /** Loses the responses until the browser gives up, and then has it try again. */
  async function loseResponse(page: Page, { balancer }: AccountsEnvironment, choose: () => Promise<void>) {
    let callback = "";
    balancer.losesResponseTo = (path) => {
      const isCallback = path.startsWith("/auth/v1/callback?");
      if (isCallback) callback = balancer.origin + path;
      return isCallback;
    };
    await choose();
    await expect.poll(() => page.url()).toMatch(/^chrome-error:/);
    balancer.losesResponseTo = () => false;
    await page.goto(callback);
    await untilInteractive(page);
  }

  for (const [path, name] of [
    ["/", "Google"],
    ["/auth", "GitHub"],
  ] as const) {
    test(
      `a sign-in with ${name}, begun at ${path}, completes`,
      soakUnless(name === "Google"),
      async ({ page, ui, environment, email, problems }) => {
        problems.allow(/^failed: .*\/auth\/v1\/callback/, /^console error: Failed to load/);
        await reachProvider(page, path, name);
        await loseResponse(page, environment, () => ui.submitAccount(email));
        await expect(ui.email(email)).toBeVisible();
        await expect(page).toHaveURL("/");
        await expect(ui.toasts.getByRole("alert")).toHaveCount(0);
      },
    );
  }

  for (const [what, choice, message] of [
    ["was denied", { press: "Deny" }, "The user has denied your application access"],
    ["failed at the provider", { press: "Fail" }, "The fake provider was asked to fail"],
    ["has no verified e-mail", { verified: false }, "GitHub has not verified your e-mail address"],
  ] as const) {
    test(`one that ${what} shows its message`, soak, async ({ page, ui, environment, email, problems }) => {
      problems.allow(/^failed: .*\/auth\/v1\/callback/, /^console error: Failed to load/);
      await reachProvider(page, "/auth", "GitHub");
      await loseResponse(page, environment, () => ui.submitAccount(email, choice));
      await expect(ui.toasts.getByRole("alert")).toContainText(message);
      await expect(page).toHaveURL("/auth");
    });
  }
});

test("a prefetch of the provider's return is refused", async ({
  page,
  ui,
  context,
  environment: { balancer },
  email,
  problems,
}) => {
  problems.expect(/^403: .*\/auth\/v1\/callback/, /^503: .*\/auth\/v1\/callback/);
  problems.allow(/^failed: .*\/auth\/v1\/callback/, /^console error: Failed to load/);
  const other = await context.newPage();
  await other.goto("/");
  await untilInteractive(other);
  await reachProvider(page, "/", "Google");
  const servers = balancer.servers.splice(0);
  const unanswered = page.waitForResponse(callbackPattern);
  await ui.submitAccount(email);
  const callback = (await unanswered).url();
  await expect(page.getByText(NO_SERVER)).toBeVisible();
  balancer.servers.push(...servers);
  const refused = other.waitForResponse(callbackPattern);
  await other.evaluate((href) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href }));
  }, callback);
  expect(await (await refused).request().headerValue("sec-purpose")).toBe("prefetch");
  expect((await refused).status()).toBe(403);
  await page.goto(callback);
  await expect(ui.email(email)).toBeVisible();
});
