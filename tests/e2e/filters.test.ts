import type { Locator } from "@playwright/test";
import { YEAR } from "../../src/domain/programme.ts";
import { expect, pauseClock, test } from "./support/test.ts";
import { filterNames, overflowOf } from "./support/ui.ts";

test("nothing moves when filters are pressed, and the links stand in a row", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
}) => {
  const links = page.getByRole("group", { name: "More:" }).getByRole("link");
  const top = async (element: Locator) => (await element.boundingBox())?.y;
  for (const width of [320, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    await visit("/");
    const before = await top(ui.summary);
    const [nobody, declared] = [await top(links.first()), await top(links.last())];
    expect(nobody).toBe(declared);
    await links.nth(1).press("Tab");
    await expect(links.last()).toBeInViewport({ ratio: 1 });
    for (const [index, name] of filterNames.slice(1).entries()) {
      await ui.filter(name).click();
      // Otherwise the next navigation would abort this request.
      await expect.poll(() => new URL(page.url()).searchParams.size).toBe(index + 1);
    }
    await expect(ui.filters).toHaveAccessibleDescription(/said No, Very little or Yes\.$/);
    await expect(ui.summary).toHaveText(`Showing 1-20 of 32 shows for ${YEAR}`);
    expect(await top(ui.summary)).toBe(before);
    expect(await overflowOf(page)).toBe(0);
  }
});

test("the links keep typed text, and say what they keep", async ({ page, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*(announced=yes|yes=none)/);
  const declared = page.getByRole("link", { name: "Announced in the listing", exact: true });
  const nobody = page.getByRole("link", { name: "Nobody said Yes", exact: true });
  await page.clock.install();
  await visit("/?page=3");
  await pauseClock(page);
  await nobody.press("Enter");
  await expect(page).toHaveURL("/?yes=none");
  await expect(nobody).toBeFocused();
  await expect(nobody).toHaveAttribute("aria-current", "true");
  await expect(page.getByRole("group", { name: "More:" })).toHaveAccessibleDescription(
    "Shows with at least 5 reviews, none of them Yes.",
  );
  await ui.searchBox.pressSequentially("clap");
  await declared.click();
  await expect(page).toHaveURL("/?search=clap&announced=yes&yes=none");
  await expect(ui.searchBox).toHaveValue("clap");
  await expect(ui.summary).toHaveText("No shows found");
  await declared.click();
  await nobody.click();
  await expect(page).toHaveURL("/?search=clap");
  await expect(declared).not.toHaveAttribute("aria-current");
});

test("filters pressed during a request count, from page 1", async ({ page, api, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED/);
  await visit("/?page=2");
  const held = await api.hold(/interaction=no$/);
  await ui.filter("No Interaction").click();
  await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText(`Showing 1-20 of 31 shows for ${YEAR}`);
  await held.release();
  await expect(page).toHaveURL("/?interaction=no&interaction=yes");
  const both = await api.hold();
  for (const pressed of ["false", "true"]) {
    await ui.filter("No Interaction").click();
    await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", pressed);
  }
  await both.release();
  await expect(ui.loading).toHaveCount(0);
  await expect(ui.summary).toHaveText(`Showing 1-20 of 31 shows for ${YEAR}`);
  await expect(page).toHaveURL("/?interaction=no&interaction=yes");
});
