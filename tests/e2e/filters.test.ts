import { pauseClock } from "./support/pause-clock.ts";
import { expect, test } from "./support/test.ts";
import { filterNames } from "./support/ui.ts";

test("each filter toggles on its own, and All Shows clears them", async ({ page, api, ui, visit }) => {
  const pressedFilters = ui.filters.getByRole("button", { pressed: true });
  await visit("/");

  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-6 of 6 shows for 2025");
  await expect(page).toHaveURL("/?interaction=yes");
  await expect(pressedFilters).toHaveText(["Lots of Interaction"]);

  await ui.filter("Some Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-8 of 8 shows for 2025");
  await expect(page).toHaveURL("/?interaction=very_little&interaction=yes");
  await expect(pressedFilters).toHaveText(["Some Interaction", "Lots of Interaction"]);

  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-5 of 5 shows for 2025");
  await expect(page).toHaveURL("/?interaction=very_little");
  await expect(pressedFilters).toHaveText(["Some Interaction"]);

  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 30 shows for 2025");
  await expect(pressedFilters).toHaveText(["No Interaction", "Some Interaction"]);

  await ui.filter("All Shows").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(page).toHaveURL("/");
  await expect(pressedFilters).toHaveText(["All Shows"]);
  await expect(ui.filters.getByRole("button")).toHaveText([...filterNames]);
  expect(api.queries).toHaveLength(5);
});

test("a filter keeps the search and starts on page 1", async ({ page, ui, visit }) => {
  await visit("/?search=evening&page=2");
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await ui.filter("All Shows").click();
  await expect(page).toHaveURL("/?search=evening");
});

test("the tallies on a card count all its reviews, and the filtered one is framed", async ({ ui, visit }) => {
  await visit("/?interaction=yes");
  await expect(ui.card("Sit Back").getByText("(4 reviews)", { exact: true })).toBeVisible();
  const card = ui.card("Sit Back");
  await expect(card.getByText("Most common: No", { exact: true })).toBeVisible();
  const frames = card
    .getByRole("listitem")
    .evaluateAll((tallies) => tallies.map((tally) => getComputedStyle(tally, "::after").borderTopWidth));
  expect(await frames).toEqual(["0px", "0px", "2px"]);
});

test("Announced in the listing combines with filters and search, and a second press gives it up", async ({
  page,
  ui,
  visit,
}) => {
  const toggle = page.getByRole("link", { name: "Announced in the listing", exact: true });
  await visit("/?page=3");
  await expect(toggle).not.toHaveAttribute("aria-current");
  await toggle.click();
  await expect(page).toHaveURL("/?announced=yes");
  await expect(toggle).toHaveAttribute("aria-current", "true");
  await expect(ui.titles).toHaveText(["Moth Hour", "Clap Along", "100% Haggis"]);
  await expect(page).toHaveTitle(/^Announced in the listing – /);

  await ui.filter("Lots of Interaction").click();
  await expect(page).toHaveURL("/?interaction=yes&announced=yes");
  await expect(ui.titles).toHaveText(["Moth Hour"]);
  await ui.filter("All Shows").click();
  await expect(page).toHaveURL("/?announced=yes");
  await expect(ui.titles).toHaveCount(3);

  await ui.searchBox.fill("haggis");
  await expect(page).toHaveURL("/?search=haggis&announced=yes");
  await expect(ui.titles).toHaveText(["100% Haggis"]);
  await toggle.click();
  await expect(page).toHaveURL("/?search=haggis");
  await expect(toggle).not.toHaveAttribute("aria-current");
});

test("text typed just before a press of Announced in the listing is searched for", async ({
  page,
  ui,
  visit,
  problems,
}) => {
  problems.allow(/^failed: net::ERR_ABORTED .*announced=yes$/);
  await page.clock.install();
  await visit("/");
  await pauseClock(page);
  await ui.searchBox.pressSequentially("moth");
  await page.getByRole("link", { name: "Announced in the listing" }).click();
  await expect(page).toHaveURL("/?search=moth&announced=yes");
  await expect(ui.searchBox).toHaveValue("moth");
  await expect(ui.titles).toHaveText(["Moth Hour"]);
});

test("filters work with the keyboard and keep the focus", async ({ page, ui, visit }) => {
  await visit("/");
  await ui.filter("No Interaction").focus();
  await page.keyboard.press("Space");
  await expect(ui.summary).toHaveText("Showing 1-20 of 28 shows for 2025");
  await expect(ui.filter("No Interaction")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(ui.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(ui.filter("No Interaction")).toBeFocused();
});

test("two filters pressed before the first response are both applied, and one toggled twice changes nothing", async ({
  page,
  api,
  ui,
  visit,
  problems,
}) => {
  problems.allow(/^failed: net::ERR_ABORTED/);
  await visit("/");
  const held = await api.hold(/interaction=no$/);
  await ui.filter("No Interaction").click();
  await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");
  await ui.filter("Lots of Interaction").click();
  await expect(ui.summary).toHaveText("Showing 1-20 of 31 shows for 2025");
  await held.release();
  await expect(page).toHaveURL("/?interaction=no&interaction=yes");
  const both = await api.hold();
  for (const pressed of ["false", "true"]) {
    await ui.filter("No Interaction").click();
    await expect(ui.filter("No Interaction")).toHaveAttribute("aria-pressed", pressed);
  }
  await both.release();
  await expect(ui.loading).toHaveCount(0);
  await expect(ui.summary).toHaveText("Showing 1-20 of 31 shows for 2025");
  await expect(page).toHaveURL("/?interaction=no&interaction=yes");
});
