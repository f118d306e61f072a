import { expectAccessible } from "./support/axe.ts";
import { overflowOf } from "./support/list.ts";
import { expect, once, soak, test } from "./support/test.ts";

test.use({ site: "product" });

test("pagination reaches the last of 3893 shows", once, async ({ list, visit }) => {
  await visit("/");
  await expect(list.summary).toHaveText("Showing 1-20 of 3893 shows for 2025");
  await expect(list.cards).toHaveCount(20);
  await list.pageLink(195).click();
  await expect(list.summary).toHaveText("Showing 3881-3893 of 3893 shows for 2025");
  await expect(list.cards).toHaveCount(13);
  await expect(list.pageLink("Next page")).toHaveAttribute("aria-disabled", "true");
  await list.pageLink(194).click();
  await expect(list.summary).toHaveText("Showing 3861-3880 of 3893 shows for 2025");
});

test("the list is accessible and does not overflow", once, async ({ page, visit }) => {
  await visit("/?page=100");
  await expectAccessible(page);
  for (const address of ["/?page=100", "/"]) {
    await visit(address);
    expect(await overflowOf(page)).toBe(0);
  }
});

test("every card on the first page has reviews", soak, async ({ list, visit }) => {
  await visit("/");
  await expect(list.cards.getByText("Most common:")).toHaveCount(20);
});

test("each filter keeps shows with its interaction", soak, async ({ list, visit }) => {
  await visit("/");
  for (const [name, label] of [
    ["No Interaction", "No"],
    ["Some Interaction", "Very little"],
    ["Lots of Interaction", "Yes"],
  ] as const) {
    await list.filter(name).click();
    await expect(list.filter(name)).toHaveAttribute("aria-pressed", "true");
    await expect(list.summary).not.toContainText("3893");
    for (const card of await list.cards.all()) {
      await expect(
        card.getByRole("listitem").filter({ hasText: new RegExp(`[1-9]\\d* ?${label}$`) }),
      ).toHaveCount(1);
    }
    await list.filter("All Shows").click();
    await expect(list.summary).toContainText("3893");
  }
});

test("a search for a title finds its show", soak, async ({ list, visit }) => {
  await visit("/");
  const [title = ""] = await list.titles.allTextContents();
  await list.searchBox.fill(title.slice(0, 100));
  await expect(list.summary).toContainText(`matching "${title.slice(0, 100).trim()}"`);
  await expect(list.card(title).first()).toBeVisible();
});

for (const name of ["Google", "GitHub"]) {
  test(
    `signing in with the fake ${name} needs no other port than the site's`,
    name === "Google" ? once : soak,
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

test.describe("on a screen 320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test("the longest pagination fits", once, async ({ page, list, visit }) => {
    await visit("/?page=100");
    await expect(list.pagination.getByRole("listitem")).toHaveText([
      "1",
      "…",
      "98",
      "99",
      "100",
      "101",
      "102",
      "…",
      "195",
    ]);
    expect(await overflowOf(page)).toBe(0);
  });
});
