import type { Page } from "@playwright/test";
import { test } from "./support/accounts.ts";
import { expect, once, soak } from "./support/test.ts";

/** Leaves for GitHub from the sign-in page and returns the URL that GitHub would redirect back to. */
async function leaveForGithub(page: Page, origin: string): Promise<URL> {
  await page.goto("/auth");
  await page.getByRole("button", { name: "Continue with GitHub" }).click();
  await expect(page).toHaveTitle(/GitHub/);
  const callback = new URL("/auth/v1/callback", origin);
  callback.searchParams.set("state", new URL(page.url()).searchParams.get("state") ?? "");
  return callback;
}

const scam = "Your account is locked. Call 0900 123 456.";

const foreignLinks = [
  "/?code=FRINGE25&utm_source=x",
  "/?search=tea&error_code=17#shows",
  `/#error=access_denied&error_description=${encodeURIComponent(scam)}`,
  `/auth?error=server_error&error_description=scam&sb_flow_id=${"0af3".repeat(8)}`,
];

test("a link with parameters of its own stays as it is", once, async ({ page, visit, list }) => {
  const calls: string[] = [];
  page.on("request", (request) => request.url().includes("/auth/v1/") && calls.push(request.url()));
  for (const link of foreignLinks) {
    await page.goto("about:blank"); // the links differ in their fragments alone
    await visit(link);
    await page.waitForLoadState("networkidle");
    await expect(list.toasts.getByRole("alert")).toHaveCount(0);
    await expect(page).toHaveURL(link);
  }
  expect(calls).toEqual([]);
});

const scamLinks = [
  ["in the fragment", `/auth#error=access_denied&error_description=${encodeURIComponent(scam)}`],
  [
    "with a guessed id",
    `/?error=x&error_description=${encodeURIComponent(scam)}&sb_flow_id=${"0af3".repeat(8)}`,
  ],
] as const;

test(
  "a link brings no text into the toast of a tab that has left for a provider",
  once,
  async ({ page, accounts: _, visit, list, environment }) => {
    for (const [name, link] of scamLinks) {
      await test.step(name, async () => {
        await leaveForGithub(page, environment.origin);
        await visit(link);
        const toast = list.toasts.getByRole("alert");
        await expect(toast).toContainText("An unexpected error occurred");
        await expect(toast).not.toContainText(scam);
        await expect(page).toHaveURL("/auth");
      });
    }
  },
);

test(
  "a sign-in given up says nothing at a later link",
  once,
  async ({ page, accounts: _, visit, list, environment }) => {
    await leaveForGithub(page, environment.origin);
    await visit("/");
    await visit("/?code=FRINGE25");
    await page.waitForLoadState("networkidle");
    await expect(list.toasts.getByRole("alert")).toHaveCount(0);
    await expect(page).toHaveURL("/?code=FRINGE25");
  },
);

test(
  "the provider's words are shown as one line of plain text",
  once,
  async ({ page, accounts: _, visit, list, environment }) => {
    const callback = await leaveForGithub(page, environment.origin);
    callback.searchParams.set("error", "access_denied");
    callback.searchParams.set(
      "error_description",
      "L’accès <b>est</b> refusé\non two lines, and \u202ebackwards",
    );
    await visit(callback.href);
    await expect(list.toasts.getByRole("alert")).toContainText(
      "L’accès <b>est</b> refusé on two lines, and backwards",
    );
    await expect(page).toHaveURL("/auth");
  },
);

test(
  "a return in another tab of the browser signs in",
  once,
  async ({ page, accounts, email, context, environment }) => {
    await leaveForGithub(page, environment.origin);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole("textbox", { name: "E-mail" }).fill(email);
    await other.getByRole("button", { name: "Continue", exact: true }).click();
    await expect(other.getByRole("banner").getByText(email, { exact: true })).toBeVisible();
    await page.goto("/");
    await expect(accounts.email(email)).toBeVisible();
  },
);

test(
  "too many sign-ins and an outage are named though nobody knows whose they are",
  once,
  async ({ page, accounts: _, visit, list, environment }) => {
    for (const [code, message] of [
      ["over_request_rate_limit", "Too many people are signing in from your network just now."],
      ["unavailable", "Signing in with your provider does not work just now. Please try again in a moment."],
    ] as const) {
      await leaveForGithub(page, environment.origin);
      await visit(`/?error=x&error_code=${code}&error_description=${encodeURIComponent(scam)}`);
      await expect(list.toasts.getByRole("alert")).toContainText(message);
    }
  },
);

for (const path of ["/?search=moth", "/auth"]) {
  test(
    `the first sign-in works though ${path} was opened under another host`,
    path === "/auth" ? soak : once,
    async ({ page, accounts, email, environment, problems }) => {
      const elsewhere = environment.origin.replace("127.0.0.1", "localhost");
      problems.allow(new RegExp(`^elsewhere: ${elsewhere}`));
      await page.goto(elsewhere + path);
      await expect(page).toHaveURL(environment.origin + path);
      await (path === "/auth" ? accounts.continueWith("GitHub") : accounts.signInButton).click();
      await accounts.submitAccount(email);
      await expect(accounts.email(email)).toBeVisible();
      await expect(page).toHaveURL(path === "/auth" ? "/" : path);
    },
  );
}
