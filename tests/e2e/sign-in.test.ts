import { PLACE_KEY } from "../../src/auth/ui/sign-in/return-client.ts";
import { storedSession, test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { expect, soak, untilInteractive, widths } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

const signInFailed = /Sign in failed.*Please try again\./;

for (const name of ["Google", "GitHub"] as const) {
  test(`Continue with ${name} signs in and leads to the list`, soak, async ({ page, ui, email, visit }) => {
    await visit("/auth");
    await ui.continueWith(name).click();
    await expect(page).toHaveTitle(new RegExp(name));
    await ui.submitAccount(email);
    await expect(ui.email(email)).toBeVisible();
    await expect(page).toHaveURL("/");
    await expect(ui.cards).toHaveCount(20);
  });
}

test(
  "the same verified e-mail at both providers is one user",
  soak,
  async ({ ui, email, environment, context }) => {
    await ui.signInByPages(email, "google");
    const first = await storedSession(context, environment.origin);
    await ui.signOutButton.click();
    await ui.signInButton.waitFor();
    await ui.signInByPages(email.toUpperCase(), "github");
    const second = await storedSession(context, environment.origin);
    expect(second?.user.id).toBe(first?.user.id);
  },
);

test("signing in and out works with the keyboard alone", async ({ page, ui, email, visit }) => {
  const scripts = new Set<string>();
  page.on("request", (request) => request.url().endsWith(".js") && scripts.add(request.url()));
  const countSignInScripts = async () => {
    const texts = await Promise.all([...scripts].map(async (url) => (await fetch(url)).text()));
    return texts.filter((text) => text.includes("code_verifier")).length;
  };
  await visit("/");
  await page.waitForLoadState("networkidle");
  await visit("/auth");
  await page.waitForLoadState("networkidle");
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    for (const name of ["Google", "GitHub"] as const) await expect(ui.continueWith(name)).toBeInViewport();
    await expectAccessible(page);
    expect(await overflowOf(page)).toBe(0);
  }
  expect(await countSignInScripts()).toBe(0);
  await ui.continueWith("Google").press("Enter");
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  expect(await countSignInScripts()).toBe(1);
  const loaded = ui.waitForReviewedResponse();
  await page.keyboard.press("Enter");
  await loaded;
  await ui.signOutButton.press("Space");
  await expect(ui.toasts).toContainText("Signed out");
  await expect(ui.signInButton).toBeFocused();
});

test("Sign Out says so, or fails where it does not reach the server", async ({
  page,
  ui,
  context,
  environment,
  problems,
}) => {
  const email = `${"very-long-".repeat(12)}${crypto.randomUUID()}@people.example`;
  await ui.openSignedIn(email);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    await expect(ui.email(email)).toBeVisible({ visible: width > 640 });
    expect(await overflowOf(page)).toBe(0);
    await expect(ui.signOutButton).toBeInViewport({ ratio: 1 });
  }
  await expectAccessible(page);
  problems.expect(/^failed: .*\/auth\/v1\/logout/, /^console error: Failed to load resource/);
  await page.route("**/auth/v1/logout*", (route) => route.abort("internetdisconnected"));
  await ui.signOutButton.click();
  const toast = ui.toasts.getByRole("alert");
  await expect(toast).toContainText("Sign out failed");
  await expect(toast).toContainText("Please try again.");
  await expect(ui.email(email)).toBeVisible();
  await page.unrouteAll();
  await ui.signOutButton.click();
  await expect(ui.messages).toContainText("Signed out");
  await expect(ui.toasts).toContainText("You've been successfully signed out.");
  await expect(ui.signInButton).toBeVisible();
  await expect(ui.email(email)).toHaveCount(0);
  expect(await storedSession(context, environment.origin)).toBeNull();
  await page.reload();
  await expect(ui.signInButton).toBeVisible();
});

test.describe("a failure at the provider", () => {
  test("after Sign In shows a toast on the list, whose address is clean", async ({ page, ui, visit }) => {
    await visit("/");
    await ui.signInButton.click();
    await ui.submitAccount("", { press: "Deny" });
    await expect(ui.toasts.getByRole("alert")).toContainText(signInFailed);
    await expect(page).toHaveURL("/");
    await expect(ui.signInButton).toBeVisible();
    await page.reload();
    await untilInteractive(page);
    await expect(ui.toasts).not.toContainText("Sign in failed");
  });

  for (const [name, message] of [
    ["Google", /./],
    ["GitHub", /The user has denied your application access/],
  ] as const) {
    test(
      `after Continue with ${name} shows the provider's message on the sign-in page`,
      soak,
      async ({ page, ui, visit }) => {
        await visit("/auth");
        await ui.continueWith(name).click();
        await ui.submitAccount("", { press: "Deny" });
        const toast = ui.toasts.getByRole("alert");
        await expect(toast.getByText("Error", { exact: true })).toBeVisible();
        await expect(toast).toContainText(message);
        await expect(page).toHaveURL("/auth");
        await expect(page.getByRole("heading", { name: "Welcome" })).toBeVisible();
      },
    );
  }

  test(
    "because of an unverified e-mail shows a toast and stores no user",
    soak,
    async ({ ui, visit, email, environment }) => {
      await visit("/auth");
      await ui.continueWith("GitHub").click();
      await ui.submitAccount(email, { verified: false });
      await expect(ui.toasts.getByRole("alert")).toContainText("GitHub has not verified your e-mail address");
      const users = await environment.database.db
        .selectFrom("users")
        .where("email", "=", email)
        .selectAll()
        .execute();
      expect(users).toEqual([]);
    },
  );

  test(
    "because of an outage shows a toast, and the next attempt works",
    soak,
    async ({ ui, visit, email, environment }) => {
      const { endpoints } = environment.providers.google.faults;
      endpoints.set("token", { kind: "down" });
      await visit("/");
      await ui.signInButton.click();
      await ui.submitAccount(email);
      await expect(ui.toasts.getByRole("alert")).toContainText(signInFailed);
      endpoints.clear();
      await ui.signInButton.click();
      await ui.submitAccount(email);
      await expect(ui.email(email)).toBeVisible();
    },
  );
});

test("an unknown code signs nobody in and ends no session", async ({ page, ui, email, visit }) => {
  const leftForProvider = () => page.evaluate((key) => sessionStorage.setItem(key, "header"), PLACE_KEY);
  await visit("/");
  await leftForProvider();
  await visit("/?search=tea&code=somebody-elses");
  await expect(ui.toasts.getByRole("alert")).toContainText(signInFailed);
  await expect(page).toHaveURL("/?search=tea");
  await ui.openSignedIn(email);
  await leftForProvider();
  await visit("/?code=somebody-elses");
  await expect(ui.toasts.getByRole("alert")).toContainText(signInFailed);
  await expect(ui.email(email)).toBeVisible();
});

test("a signed-in user never sees Sign In or the sign-in page", async ({ page, ui, email, visit }) => {
  await ui.signInByPages(email);
  await expect(page).toHaveURL("/");
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const checkFrame = () => {
      for (const node of document.querySelectorAll<HTMLElement>("button, h2")) {
        if (
          ["Sign In", "Welcome"].includes(node.textContent.trim()) &&
          node.checkVisibility({ visibilityProperty: true })
        ) {
          seen.push(node.textContent);
        }
      }
      requestAnimationFrame(checkFrame);
    };
    requestAnimationFrame(checkFrame);
  });
  const seen = () => page.evaluate(() => ("seen" in window ? window.seen : null));
  await page.reload();
  await expect(ui.email(email)).toBeVisible();
  expect(await seen()).toEqual([]);
  await visit("/auth");
  await expect(page).toHaveURL("/");
  await expect(ui.email(email)).toBeVisible();
  expect(await seen()).toEqual([]);
});

test("a sign-in whose scripts fail to load shows a toast", soak, async ({ page, ui, visit, problems }) => {
  await visit("/");
  problems.allow(/^failed: .*\/assets\//, /^console error: Failed to (load|fetch)/);
  await page.route("**/assets/*.js", (route) => route.abort("internetdisconnected"));
  await ui.signInButton.click();
  await expect(ui.toasts.getByRole("alert")).toContainText(signInFailed);
});

test.describe("in a browser inside an app", () => {
  test.use({
    userAgent:
      "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Instagram 337.0",
  });

  test("Sign In leads to the sign-in page, which offers the user's own browser", async ({
    page,
    ui,
    visit,
    context,
  }) => {
    await context.grantPermissions(["clipboard-write"]);
    await visit("/?search=evening&page=2");
    const left = page.url();
    await ui.signInButton.click();
    await expect(page).toHaveURL("/auth");
    await expect(page.getByRole("link", { name: "Open in your browser" })).toHaveAttribute(
      "href",
      /^intent:\/\/127\.0\.0\.1:\d+\/\?search=evening&page=2#Intent;/,
    );
    const copy = page.getByRole("button", { name: "Copy the link" });
    await page.getByRole("heading", { name: "Welcome" }).focus();
    await page.keyboard.press("Tab");
    await expect(copy).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Link copied")).toBeVisible();
    await expectAccessible(page);
    await visit("/");
    await ui.searchBox.press("ControlOrMeta+V");
    await expect(ui.searchBox).toHaveValue(left);
  });
});

test.describe("in an app on the home screen of iOS", () => {
  test.use({
    userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
  });

  test("Sign In leads to Google", async ({ page, ui, visit }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, "standalone", { value: true }));
    await visit("/auth");
    await expect(page.getByRole("button", { name: "Copy the link" })).toHaveCount(0);
    await visit("/");
    await ui.signInButton.click();
    await expect(page).toHaveTitle(/Google/);
  });
});
