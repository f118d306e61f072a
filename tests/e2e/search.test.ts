import type { Page } from "@playwright/test";
import { CURLY_TITLE, EMOJI_TITLE, MARKUP_TITLE } from "./support/programme.ts";
import { watchTexts } from "./support/seen.ts";
import { expect, once, test, twice } from "./support/test.ts";

/** Stops the page's clock: its timers wait until the test moves time on. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(Date.now() + 60_000);
}

test("typing searches, and the focus stays in the box", twice, async ({ page, list, visit, problems }) => {
  // Typed by a machine that is busy, a key may come so late that what came before it is searched for first.
  problems.allow(/^failed: net::ERR_ABORTED .*search=mo?t?$/);
  await visit("/");
  await list.box.click();
  await page.keyboard.type("moth");
  await expect(list.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "moth"');
  await expect(list.titles).toHaveText(["Moth Hour"]);
  await expect(list.box).toBeFocused();
  await expect(list.box).toHaveValue("moth");
  await expect(page).toHaveURL("/?search=moth");
});

test("a search starts 300 ms after the last keystroke, once", once, async ({ page, api, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await stopClock(page);
  await list.box.pressSequentially("mot");
  await page.clock.runFor(299);
  await list.box.pressSequentially("h");
  await page.clock.runFor(299);
  expect(api.asked).toEqual([]);
  await page.clock.runFor(1);
  await expect(list.summary).toContainText('matching "moth"');
  await page.clock.runFor(5_000);
  expect(api.asked).toEqual(["?search=moth"]);
});

test("Enter searches at once, and the waiting search does not come too", once, async ({ page, api, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await stopClock(page);
  await list.box.fill("moth");
  await list.box.press("Enter");
  await expect(list.summary).toContainText('matching "moth"');
  await page.clock.runFor(5_000);
  expect(api.asked).toEqual(["?search=moth"]);
  await expect(list.box).toBeFocused();
});

test("typing something and taking it back asks for nothing", once, async ({ page, api, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await stopClock(page);
  await list.box.pressSequentially("m");
  await list.box.press("Backspace");
  await list.box.pressSequentially("  ");
  await page.clock.runFor(5_000);
  expect(api.asked).toEqual([]);
  await expect(page).toHaveURL("/");
});

test(
  "title, artist and venue are searched, whatever the case, accents, quotes and dashes",
  once,
  async ({ page, list, visit }) => {
    await page.clock.install();
    await visit("/");
    await stopClock(page);
    for (const [text, ...titles] of [
      ["MOTH hOuR", "Moth Hour"],
      ["wren hallo", "Moth Hour", "Half a Handshake"],
      ["upturned", "Moth Hour", "Tea"],
      ["cafe eb", "Café Ébloui"],
      ["ZOÉ ANG", "Café Ébloui"],
      ["theatre du", "Café Ébloui"],
      ["it's fine", CURLY_TITLE],
      ['"it', CURLY_TITLE],
      ["- said", CURLY_TITLE],
      ["d'arcy", CURLY_TITLE],
      ["🎭", EMOJI_TITLE],
      ["I <3", "I <3 Leith"],
      ["<b>", MARKUP_TITLE],
      ["%", "100% Haggis"],
      ["_", "50_50"],
      ["\\", "Back\\slash"],
      ["   tea  ", "Moth Hour", "Tea"],
    ] as const) {
      await list.box.fill(text);
      await list.box.press("Enter");
      await expect(list.summary).toContainText(`matching "${text.trim()}"`);
      await expect(list.titles).toHaveText([...titles]);
    }
  },
);

test("genres and descriptions are not searched", once, async ({ page, list, visit }) => {
  await visit("/");
  for (const text of ["Physical Theatre", "An hour among moths"]) {
    await list.box.fill(text);
    await expect(page).toHaveTitle(new RegExp(text));
    await expect(list.summary).toHaveText("No shows found");
  }
});

test("script tags are stripped from what is searched for", once, async ({ page, list, visit }) => {
  await visit("/");
  await list.box.fill("<script>alert(1)</script>moth");
  await expect(list.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "moth"');
  await expect(page).toHaveURL("/?search=moth");
});

test("the box takes 100 characters and no more", once, async ({ page, list, visit }) => {
  await visit("/");
  await list.box.focus();
  await page.keyboard.insertText("x".repeat(120));
  await expect(list.box).toHaveValue("x".repeat(100));
});

test("a search starts on its first page and keeps the filters", once, async ({ page, list, visit }) => {
  await visit("/?interaction=no&page=2");
  await list.box.fill("evening");
  await expect(list.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await expect(list.filter("No Interaction")).toHaveAttribute("aria-pressed", "true");
});

test("an empty box brings all shows back", once, async ({ page, list, visit }) => {
  await visit("/?search=moth");
  await list.box.fill("");
  await expect(list.summary).toHaveText("Showing 1-20 of 130 shows for 2025");
  await expect(page).toHaveURL("/");
});

test("a search in markup is shown as it is written", once, async ({ page, list, visit }) => {
  await visit("/");
  await list.box.fill("<b>Bold</b> & <img");
  await expect(list.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "<b>Bold</b> & <img"');
  await expect(page.getByRole("main").locator("b, img")).toHaveCount(0);
});

test("an older answer never comes over a newer one", once, async ({ api, list, visit, problems }) => {
  problems.allow(/^failed: net::ERR_ABORTED .*search=m$/);
  await visit("/");
  const shown = await watchTexts(list.summary);
  const older = await api.hold(/search=m$/);
  await list.box.fill("m");
  await expect.poll(older.waiting).toBe(1);
  await list.box.fill("moth");
  await expect(list.summary).toContainText('matching "moth"');
  await older.release();
  await list.box.fill("tea");
  await expect(list.summary).toContainText('matching "tea"');
  expect(await shown()).toEqual([
    "Showing 1-20 of 130 shows for 2025",
    'Showing 1-1 of 1 show for 2025 matching "moth"',
    'Showing 1-2 of 2 shows for 2025 matching "tea"',
  ]);
});

test("what is typed on while an answer comes stays in the box", once, async ({ page, api, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await stopClock(page);
  const first = await api.hold(/search=m$/);
  await list.box.pressSequentially("m");
  await page.clock.runFor(300);
  await expect.poll(first.waiting).toBe(1);
  await list.box.pressSequentially("oth");
  await first.release();
  await expect(list.summary).toContainText('matching "m"');
  await expect(list.box).toHaveValue("moth");
  await page.clock.runFor(300);
  await expect(list.summary).toContainText('matching "moth"');
  await expect(list.box).toHaveValue("moth");
});

test("a filter pressed right after typing does not lose what was typed", once, async ({ page, api, list, visit }) => {
  await page.clock.install();
  await visit("/");
  await stopClock(page);
  await list.box.fill("evening");
  await list.filter("No Interaction").click();
  await expect(list.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
  await expect(page).toHaveURL("/?search=evening&interaction=no");
  await expect(list.box).toHaveValue("evening");
  await page.clock.runFor(5_000);
  expect(api.asked).toEqual(["?search=evening&interaction=no"]);
});

test(
  "a filter pressed right after the box was emptied does not bring the text back",
  once,
  async ({ page, api, list, visit }) => {
    await page.clock.install();
    await visit("/?search=evening");
    await stopClock(page);
    await list.box.fill("");
    await list.filter("No Interaction").click();
    await expect(page).toHaveURL("/?interaction=no");
    await page.clock.runFor(5_000);
    await expect(list.box).toHaveValue("");
    expect(api.asked).toEqual(["?interaction=no"]);
  },
);

test(
  "a filter pressed while a search is on its way asks for both",
  once,
  async ({ page, api, list, visit, problems }) => {
    problems.allow(/^failed: net::ERR_ABORTED .*\?search=evening$/);
    await visit("/");
    const search = await api.hold(/search=evening$/);
    await list.box.fill("evening");
    await expect.poll(search.waiting).toBe(1);
    await list.filter("No Interaction").click();
    await expect(list.summary).toHaveText('Showing 1-20 of 24 shows for 2025 matching "evening"');
    await search.release();
    await expect(page).toHaveURL("/?search=evening&interaction=no");
    await expect(list.box).toHaveValue("evening");
  },
);
