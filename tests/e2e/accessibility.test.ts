import { expectAccessible } from "./support/axe.ts";
import { expect, once, test, twice } from "./support/test.ts";

test.describe("axe finds no violations", () => {
  test("on the list", twice, async ({ page, visit }) => {
    await visit("/");
    await expectAccessible(page);
  });

  test(
    "on filtered and empty lists, with long words, while loading, and with a toast",
    once,
    async ({ page, api, list, visit }) => {
      for (const address of [
        "/?search=sit&interaction=no",
        "/?search=gnurp",
        "/?search=zzz",
        "/?search=moth",
      ]) {
        await visit(address);
        if (address !== "/?search=moth") await expectAccessible(page);
      }
      await list.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
      await expect(list.toasts).toContainText("Sign in required");
      await expectAccessible(page);
      const held = await api.hold();
      await list.filter("Lots of Interaction").click();
      await expect(list.loading).toBeVisible();
      await expectAccessible(page);
      await held.release();
      await expect(list.loading).toHaveCount(0);
    },
  );

  test("on the list without tallies", once, async ({ page, api, list, visit, problems }) => {
    problems.expect(/^console error: Shows could not be loaded with their reviews/);
    await visit("/?search=evening");
    await api.respond({ json: {} }, /^(?!.*reviews=none)/);
    await list.pageLink(2).click();
    await expect(list.cards.first()).toContainText("Reviews can't be loaded right now.");
    await expectAccessible(page);
  });

  test("on the 404 page", once, async ({ page, visit, problems }) => {
    problems.expect(/404/);
    await visit("/nowhere");
    await expectAccessible(page);
  });
});

test("the list has one live region, from its start", once, async ({ page, list, visit }) => {
  await visit("/?search=moth");
  await expect(page.getByRole("status")).toHaveCount(1);
  const liveRegion = await list.summary.elementHandle();
  await list.searchBox.fill("zzz");
  await expect(list.summary).toHaveText("No shows found");
  await list.searchBox.fill("moth");
  await expect(list.summary).toContainText("Showing 1-1");
  expect(await list.summary.evaluate((node, first) => node === first, liveRegion)).toBe(true);
});
