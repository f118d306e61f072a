import { callAuth, signIn } from "../support/accounts.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

test("tabs follow one that signs in or out", async ({ page, ui, email, context, visit, environment }) => {
  await visit("/");
  const second = await context.newPage();
  const secondAccounts = uiOf(second);
  await second.goto("/?search=tea");
  await expect(secondAccounts.signInButton).toBeVisible();
  const third = await context.newPage();
  await third.goto("/auth");
  const loaded = [secondAccounts.waitForReviewedResponse(), uiOf(third).waitForReviewedResponse()];
  await ui.signInByPages(email);
  await Promise.all(loaded);
  await expect(secondAccounts.email(email)).toBeVisible();
  await expect(third).toHaveURL("/");
  await expect(uiOf(third).email(email)).toBeVisible();
  const session = await storedSession(context, environment.origin);
  const elsewhere = await signIn(environment.origin, "google", { email });
  await second.getByRole("button", { name: "Your reviews", exact: true }).click();
  const everywhere = secondAccounts.dialog.getByRole("button", { name: "Sign out everywhere" });
  await expect(everywhere).toHaveAccessibleDescription("2 sessions");
  await everywhere.press("Enter");
  for (const tab of [page, second, third]) await expect(uiOf(tab).signInButton).toBeVisible();
  for (const token of [session?.access_token ?? "", elsewhere.access_token])
    expect((await callAuth(environment.origin, "/user", { token })).status).toBe(403);
});
