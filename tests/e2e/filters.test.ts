import { pauseClock } from "./support/pause-clock.ts";
import { expect, test } from "./support/test.ts";
import { filterNames } from "./support/ui.ts";

test("each filter toggles on its own, and All Shows clears them", async ({ page, api, ui, visit }) => {
  const pressed = ui.filters.getByRole("button", { pressed: true });
  await visit("/");
  await expect(ui.filters.getByRole("button")).toHaveText([...filterNames]);
  for (const [name, address, count, ...now] of [
    ["Lots of Interaction", "/?interaction=yes", "1-6 of 6", "Lots of Interaction"],
    [
      "Some Interaction",
      "/?interaction=very_little&interaction=yes",
      "1-8 of 8",
      "Some Interaction",
      "Lots of Interaction",
    ],
    ["Lots of Interaction", "/?interaction=very_little", "1-5 of 5", "Some Interaction"],
    [
      "No Interaction",
      "/?interaction=no&interaction=very_little",
      "1-20 of 30",
      "No Interaction",
      "Some Interaction",
    ],
    ["All Shows", "/", "1-20 of 130", "All Shows"],
  ] as const) {
    await ui.filter(name).click();
    await expect(ui.summary).toHaveText(`Showing ${count} shows for 2025`);
    await expect(page).toHaveURL(address);
    await expect(pressed).toHaveText(now);
  }
  expect(api.queries).toHaveLength(5);

  await test.step("with the keyboard, and the focus stays", async () => {
    await ui.filter("No Interaction").focus();
    for (const [key, count] of [
      ["Space", 28],
      ["Enter", 130],
    ] as const) {
      await page.keyboard.press(key);
      await expect(ui.summary).toHaveText(`Showing 1-20 of ${count} shows for 2025`);
      await expect(ui.filter("No Interaction")).toBeFocused();
    }
  });
});

test("a filter keeps the search, starts on page 1 and frames its tallies", async ({ page, ui, visit }) => {
  await visit("/?search=evening&page=2");
  await ui.filter("No Interaction").click();
  await expect(ui.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await ui.filter("All Shows").click();
  await expect(page).toHaveURL("/?search=evening");
  await visit("/?interaction=yes");
  const card = ui.card("Sit Back");
  await expect(card.getByText("(4 reviews)", { exact: true })).toBeVisible();
  await expect(card.getByText("Most common: No", { exact: true })).toBeVisible();
  const frames = card
    .getByRole("listitem")
    .evaluateAll((tallies) => tallies.map((tally) => getComputedStyle(tally, "::after").borderTopWidth));
  expect(await frames).toEqual(["0px", "0px", "2px"]);
});

test("Announced in the listing takes typed text along", async ({ page, ui, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*announced=yes/);
  const toggle = page.getByRole("link", { name: "Announced in the listing", exact: true });
  await page.clock.install();
  await visit("/?page=3");
  await pauseClock(page);
  await toggle.click();
  await expect(page).toHaveURL("/?announced=yes");
  await expect(toggle).toHaveAttribute("aria-current", "true");
  await expect(ui.titles).toHaveText(["Moth Hour", "Clap Along", "100% Haggis"]);
  await ui.filter("Lots of Interaction").click();
  await expect(ui.titles).toHaveText(["Moth Hour"]);
  await toggle.click();
  await expect(page).toHaveURL("/?interaction=yes");
  await expect(toggle).not.toHaveAttribute("aria-current");
  await ui.searchBox.pressSequentially("moth");
  await toggle.click();
  await expect(page).toHaveURL("/?search=moth&interaction=yes&announced=yes");
  await expect(ui.searchBox).toHaveValue("moth");
  await expect(ui.titles).toHaveText(["Moth Hour"]);
});

test("filters pressed before a response all count", async ({ page, api, ui, visit, problems }) => {
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
