import { accountsOf } from "./support/accounts.ts";
import { expect, once, test } from "./support/test.ts";

/** The small site has credentials for no provider. */
test.describe("where the site has set up no provider", () => {
  test("Sign In stays, and says so instead of leaving", once, async ({ page, list, visit }) => {
    await visit("/");
    await accountsOf(page).signInButton.click();
    const toast = list.toasts.getByRole("alert");
    await expect(toast.getByText("Error", { exact: true })).toBeVisible();
    await expect(toast).toContainText("Google is not set up");
    await expect(page).toHaveURL("/");
  });

  for (const name of ["Google", "GitHub"] as const) {
    test(`Continue with ${name} stays, and says so instead of leaving`, once, async ({ page, list, visit }) => {
      await visit("/auth");
      await accountsOf(page).continueWith(name).click();
      const toast = list.toasts.getByRole("alert");
      await expect(toast.getByText("Error", { exact: true })).toBeVisible();
      await expect(toast).toContainText(`${name} is not set up`);
      await expect(page).toHaveURL("/auth");
    });
  }

  test("the server offers none and refuses to begin", once, async ({ baseURL, request }) => {
    const headers = { apikey: "front-row-public" };
    const settings = await (await request.get("/auth/v1/settings", { headers })).json();
    expect(settings.external).toMatchObject({ google: false, github: false });
    const challenge = `code_challenge=${"a".repeat(43)}&code_challenge_method=s256`;
    const answer = await request.get(`${baseURL}/auth/v1/authorize?provider=google&${challenge}`);
    expect([answer.status(), (await answer.json()).error_code]).toEqual([400, "validation_failed"]);
  });
});
