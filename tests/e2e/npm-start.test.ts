import { expectAccessible } from "./support/axe.ts";
import { expect, soak, soakUnless, test } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test.use({ site: "product" });

test("3893 shows have accessible pages that fit", async ({ page, ui, visit }) => {
  await visit("/");
  await expect(ui.summary).toHaveText("Showing 1-20 of 3893 shows for 2025");
  await expect(ui.cards).toHaveCount(20);
  expect(await overflowOf(page)).toBe(0);
  await ui.pageLink(195).click();
  await expect(ui.summary).toHaveText("Showing 3881-3893 of 3893 shows for 2025");
  await expect(ui.cards).toHaveCount(13);
  await expect(ui.pageLink("Next page")).toHaveAttribute("aria-disabled", "true");
  await ui.pageLink(194).click();
  await expect(ui.summary).toHaveText("Showing 3861-3880 of 3893 shows for 2025");
  await visit("/?page=100");
  await expectAccessible(page);
  for (const width of [1100, 360, 320]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await overflowOf(page)).toBe(0);
  }
  const pages = ["1", "…", "98", "99", "100", "101", "102", "…", "195"];
  await expect(ui.pagination.getByRole("listitem")).toHaveText(pages);
});

test("every card on the first page has reviews", soak, async ({ ui, visit }) => {
  await visit("/");
  await expect(ui.cards.getByText("Most common:")).toHaveCount(20);
});

test("each filter keeps shows with its interaction", soak, async ({ ui, visit }) => {
  await visit("/");
  for (const [name, label] of [
    ["No Interaction", "No"],
    ["Some Interaction", "Very little"],
    ["Lots of Interaction", "Yes"],
  ] as const) {
    await ui.filter(name).click();
    await expect(ui.filter(name)).toHaveAttribute("aria-pressed", "true");
    await expect(ui.summary).not.toContainText("3893");
    for (const card of await ui.cards.all()) {
      await expect(
        card.getByRole("listitem").filter({ hasText: new RegExp(`[1-9]\\d* ?${label}$`) }),
      ).toHaveCount(1);
    }
    await ui.filter("All Shows").click();
    await expect(ui.summary).toContainText("3893");
  }
});

test("a search for a title finds its show", soak, async ({ ui, visit }) => {
  await visit("/");
  const [title = ""] = await ui.titles.allTextContents();
  await ui.searchBox.fill(title.slice(0, 100));
  await expect(ui.summary).toContainText(`matching "${title.slice(0, 100).trim()}"`);
  await expect(ui.card(title).first()).toBeVisible();
});

for (const name of ["Google", "GitHub"]) {
  test(
    `signing in with the fake ${name} needs no other port than the site's`,
    soakUnless(name === "Google"),
    async ({ page, context, visit }) => {
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
      await page.getByRole("button", { name: `Continue with ${name}` }).click();
      await expect(page).toHaveURL(new RegExp(`^${origin}/fakes/`));
      await page.getByRole("button", { name: /Noor Malik/ }).click();
      await expect(page.getByText("noor.malik@visitors.example")).toBeAttached();
      await expect(page.getByRole("button", { name: "Sign Out" })).toBeVisible();
      expect(elsewhere).toEqual([]);
    },
  );
}
