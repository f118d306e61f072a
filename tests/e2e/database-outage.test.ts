import type { Page } from "@playwright/test";
import { sql } from "kysely";
import { showPage } from "../../src/domain/show.ts";
import { type AccountsEnvironment, test as base } from "./support/accounts.ts";
import type { Problems } from "./support/problems.ts";
import { expectToast, reviewsOf, toasts } from "./support/review-ui.ts";
import { expect, soak } from "./support/test.ts";
import { uiOf } from "./support/ui.ts";

const test = base.extend<{ outage: { begin(): void; end(): void } }>({
  outage: async ({ environment, problems }, use) => {
    await use({ begin: () => disconnectServers(environment, problems), end: environment.relay.restore });
    environment.relay.restore();
    await untilReconnected(environment);
  },
});

/** Disconnects every server from the database, and allows the errors that the browser then reports. */
function disconnectServers({ relay }: AccountsEnvironment, problems: Problems): void {
  problems.allow(/^503: .*\/(api\/reviews|auth\/v1\/)/, /^console error: Failed to load resource/);
  problems.allow(/^console error: (Reviews|Your reviews) could not be loaded/);
  relay.cut();
}

/** Waits until every server is connected and notified again: until it shows a review that is stored now. */
async function untilReconnected(environment: AccountsEnvironment): Promise<void> {
  const title = "Matinee 79";
  await insertReview(environment, title);
  const stored = await countReviews(environment, title);
  for (const { origin, api } of environment.servers) {
    await expect.poll(async () => (await (await fetch(`${origin}/readyz`)).json()).database).toBe("up");
    const search = async () => showPage.parse(await (await api(`/api/shows?search=${title}`)).json());
    await expect
      .poll(async () => (await search()).shows[0]?.reviews?.no, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(stored);
  }
}

async function countReviews({ database }: AccountsEnvironment, title: string): Promise<number> {
  const { rows } =
    await sql`select from reviews join shows on shows.id = show_id where title = ${title}`.execute(
      database.db,
    );
  return rows.length;
}

test("an outage stops no browsing, and a review waits for its end", async ({
  page,
  ui,
  email,
  environment,
  outage,
}) => {
  await ui.signInAndOpen(email, "Matinee 71");
  await ui.interactionOption("Yes, significant interaction").check();
  await ui.notes.fill("The lights went out");
  outage.begin();
  await ui.submit.click();
  await expectToast(page, toasts.failed);
  await expect(ui.notes).toHaveValue("The lights went out");
  await page.keyboard.press("Escape");
  await expect(ui.toasts.getByRole("alert")).toHaveCount(0);

  await ui.searchBox.fill("");
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await ui.pageLink("Next page").click();
  await expect(ui.summary).toHaveText("Showing 21-40 of 130 shows for 2025");
  await page.goto("/?search=matinee+71");
  await expect(ui.email(email)).toBeVisible();
  await ui.reviewButton(ui.card("Matinee 71")).click();
  await expect(ui.notes).toHaveValue("The lights went out");
  await expect(ui.interactionOption("Yes, significant interaction")).toBeChecked();
  expect(await reviewsOf(environment, email)).toEqual([]);

  await insertReview(environment, "Matinee 72");
  outage.end();
  await ui.submit.click();
  await expectToast(page, toasts.thanks, "status");
  expect(await reviewsOf(environment, email)).toMatchObject([
    { title: "Matinee 71", notes: "The lights went out" },
  ]);
  await expect(async () => {
    await page.goto("/?search=matinee+72");
    await expect(uiOf(page).card("Matinee 72").getByText("(1 review)", { exact: true })).toBeVisible({
      timeout: 100,
    });
  }).toPass();
});

/** Stores another user's review, as a server that still reaches the database would. */
async function insertReview({ database }: AccountsEnvironment, title: string): Promise<void> {
  await sql`with writer as (insert into users (email) values (${`${crypto.randomUUID()}@people.example`}) returning id)
    insert into reviews (show_id, user_id, audience_interaction)
    select shows.id, writer.id, 'no' from shows, writer where title = ${title}`.execute(database.db);
}

const failures = {
  header: ["/", "Sign in failed", "Please try again."],
  exchange: [
    "/auth",
    "Error",
    "Signing in with your provider does not work just now. Please try again in a moment.",
  ],
  signInPage: [
    "/auth",
    "Error",
    "Signing in with GitHub does not work just now. Please try again in a moment.",
  ],
} as const;

test(
  "during an outage a sign-in fails where it began, with a toast, and works afterwards",
  soak,
  async ({ page, ui, email, visit, outage }) => {
    outage.begin();
    await visit("/");
    await ui.signInButton.click();
    await ui.submitAccount(email);
    await expectFailure(page, failures.header);
    await visit("/auth");
    await ui.continueWith("GitHub").click();
    await ui.submitAccount(email);
    await expectFailure(page, failures.signInPage);
    outage.end();
    await ui.signInByPages(email, "github");
    await expect(ui.email(email)).toBeVisible();
  },
);

test(
  "an outage while a sign-in is completed says to try again on the sign-in page",
  soak,
  async ({ page, ui, email, visit, outage }) => {
    await page.route("**/auth/v1/token?grant_type=pkce", async (route) => {
      outage.begin();
      await route.continue();
    });
    await visit("/auth");
    await ui.continueWith("GitHub").click();
    await ui.submitAccount(email);
    await expectFailure(page, failures.exchange);
    await page.unrouteAll();
    outage.end();
    await ui.signInByPages(email, "github");
    await expect(ui.email(email)).toBeVisible();
  },
);

async function expectFailure(page: Page, [address, title, description]: readonly [string, string, string]) {
  await expectToast(page, [title, description]);
  await expect(page).toHaveURL(address);
}
