import { YEAR } from "../../src/domain/programme.ts";
import { expect, test } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test.use({ site: "product" });

test("3893 shows have pages that fit", async ({ page, ui, visit }) => {
  await visit("/");
  await expect(ui.summary).toHaveText(`Showing 1-20 of 3893 shows for ${YEAR}`);
  await expect(ui.cards.getByText("Most common:")).toHaveCount(20);
  await visit("/?page=100");
  for (const width of [1100, 360, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await overflowOf(page)).toBe(0);
  }
  const pages = ["1", "…", "98", "99", "100", "101", "102", "…", "195"];
  await expect(ui.pagination.getByRole("listitem")).toHaveText(pages);
});

test("signing in with a fake needs no other port than the site's", async ({ page, context, visit }) => {
  await visit("/auth");
  const { origin } = new URL(page.url());
  const elsewhere: string[] = [];
  await context.route(
    (url) => url.origin !== origin,
    (route) => {
      elsewhere.push(route.request().url());
      return route.abort();
    },
  );
  await page.getByRole("button", { name: "Continue with Google" }).click();
  await expect(page).toHaveURL(new RegExp(`^${origin}/fakes/`));
  await page.getByRole("button", { name: /Noor Malik/ }).click();
  await expect(page.getByText("noor.malik@visitors.example")).toBeAttached();
  await expect(page.getByRole("button", { name: "Sign Out" })).toBeVisible();
  expect(elsewhere).toEqual([]);
});
