import { expectAccessible } from "./support/axe.ts";
import { expect, test } from "./support/test.ts";

test.describe("axe finds no violations", () => {
  test("on the list, narrow and wide", async ({ page, visit }) => {
    await visit("/");
    for (const width of [360, 1100]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
    }
  });

  test("on filtered and empty lists, with long words, while loading, and with a toast", async ({
    page,
    api,
    ui,
    visit,
  }) => {
    for (const address of [
      "/?search=sit&interaction=no",
      "/?search=gnurp",
      "/?search=zzz",
      "/?search=moth",
    ]) {
      await visit(address);
      if (address !== "/?search=moth") await expectAccessible(page);
    }
    await ui.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
    await expect(ui.toasts).toContainText("Sign in required");
    await expectAccessible(page);
    const held = await api.hold();
    await ui.filter("Lots of Interaction").click();
    await expect(ui.loading).toBeVisible();
    await expectAccessible(page);
    await held.release();
    await expect(ui.loading).toHaveCount(0);
  });

  test("on the list without tallies", async ({ page, api, ui, visit, problems }) => {
    problems.expect(/^console error: Shows could not be loaded with their reviews/);
    await visit("/?search=evening");
    await api.respond({ json: {} }, /^(?!.*reviews=none)/);
    await ui.pageLink(2).click();
    await expect(ui.cards.first()).toContainText("Reviews can't be loaded right now.");
    await expectAccessible(page);
  });

  test("on the 404 page", async ({ page, visit, problems }) => {
    problems.expect(/404/);
    await visit("/nowhere");
    await expectAccessible(page);
  });
});

test("the list has one live region, from its start", async ({ page, ui, visit }) => {
  await visit("/?search=moth");
  await expect(page.getByRole("status")).toHaveCount(1);
  const liveRegion = await ui.summary.elementHandle();
  await ui.searchBox.fill("zzz");
  await expect(ui.summary).toHaveText("No shows found");
  await ui.searchBox.fill("moth");
  await expect(ui.summary).toContainText("Showing 1-1");
  expect(await ui.summary.evaluate((node, first) => node === first, liveRegion)).toBe(true);
});
