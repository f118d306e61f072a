import type { Locator } from "@playwright/test";
import {
  CURLY_TITLE,
  EMOJI_TITLE,
  LONG_DESCRIPTION,
  LONG_TITLE,
  LONG_WORD,
  MARKUP_TITLE,
} from "./support/programme.ts";
import { expect, once, test, withAndWithoutJavaScript } from "./support/test.ts";

const NO_REVIEWS = "No reviews yet - be the first to share your experience!";

/** Returns the text of each tally on a card, with single spaces. */
function tallies(card: Locator): Promise<string[]> {
  return card
    .getByRole("listitem")
    .evaluateAll((items) => items.map((item) => (item.textContent ?? "").replaceAll(/\s+/g, " ").trim()));
}

withAndWithoutJavaScript(() => {
  test("a card shows all facts of its show", once, async ({ list, visit }) => {
    await visit("/");
    const card = list.card("Moth Hour");
    const title = card.getByRole("link", { name: "Moth Hour", exact: true });
    await expect(title).toHaveAttribute("href", "https://moth-hour.example/edinburgh?lang=en&from=list");
    await expect(title).toHaveAttribute("target", "_blank");
    await expect(title).toHaveAttribute("rel", /\bnoopener\b/);
    await expect(title).toHaveAccessibleDescription(/new tab/);
    for (const text of [
      "by Wren Halloway",
      "The Upturned Teacup",
      "Comedy",
      "An hour among moths.",
      "(1 review)",
      "Most common: Yes",
    ]) {
      await expect(card.getByText(text, { exact: true })).toBeVisible();
    }
    await expect(card.getByRole("heading", { name: "Audience Interaction", exact: true })).toBeVisible();
    expect(await tallies(card)).toEqual(["0 No", "0 Very little", "1 Yes"]);
    await expect(card.getByRole("button", { name: "Review This Show", exact: true })).toBeVisible();
    await expect(card.getByText(NO_REVIEWS)).toHaveCount(0);
  });

  test("tallies show exact counts, and bars in proportion", once, async ({ list, visit }) => {
    await visit("/");
    const card = list.card("The Human Pyramid of Leith");
    await expect(card.getByText("(2741 reviews)", { exact: true })).toBeVisible();
    await expect(card.getByText("Most common: No", { exact: true })).toBeVisible();
    expect(await tallies(card)).toEqual(["1204 No", "812 Very little", "725 Yes"]);
    for (const [index, count] of [1204, 812, 725].entries()) {
      const bar = card.getByRole("listitem").nth(index).locator("svg");
      const whole = await bar.boundingBox();
      const part = await bar.locator("rect").boundingBox();
      expect((part?.width ?? 0) / (whole?.width ?? 0)).toBeCloseTo(count / 2741, 2);
    }
  });

  test(
    "the badge names the most common interaction, on a tie the more interactive one",
    once,
    async ({ list, visit }) => {
      await visit("/");
      for (const [title, count, label, ...counts] of [
        ["Half a Handshake", "(2 reviews)", "Very little", "1 No", "1 Very little", "0 Yes"],
        ["Pick a Card", "(4 reviews)", "Yes", "0 No", "2 Very little", "2 Yes"],
        ["Three-Way Split", "(3 reviews)", "Yes", "1 No", "1 Very little", "1 Yes"],
        ["Sit Back", "(4 reviews)", "No", "3 No", "0 Very little", "1 Yes"],
        ["Clap Along", "(4 reviews)", "Very little", "0 No", "4 Very little", "0 Yes"],
        ["The Floor Is Lava", "(9 reviews)", "Yes", "0 No", "0 Very little", "9 Yes"],
      ] as const) {
        const card = list.card(title);
        await expect(card.getByText(count, { exact: true })).toBeVisible();
        await expect(card.getByText("Most common:")).toHaveText(`Most common: ${label}`);
        expect(await tallies(card)).toEqual(counts);
      }
    },
  );

  test("a show without reviews says so and has no tallies", once, async ({ list, visit }) => {
    await visit("/?search=tea");
    const card = list.card("Tea");
    await expect(card.getByText("(0 reviews)", { exact: true })).toBeVisible();
    await expect(card.getByText(NO_REVIEWS, { exact: true })).toBeVisible();
    await expect(card.getByText("Most common")).toHaveCount(0);
    await expect(card.getByRole("listitem")).toHaveCount(0);
  });

  test("unknown facts leave no text on the card", once, async ({ list, visit }) => {
    await visit("/?search=only+a+title");
    const card = list.card("Only a Title");
    await expect(card.getByRole("link")).toHaveCount(0);
    const expected = `Only a Title Audience Interaction (0 reviews) ${NO_REVIEWS} Review This Show`;
    await expect(card).toHaveText(expected, { useInnerText: true });
  });

  test("only a cancelled show has the badge Cancelled", once, async ({ list, visit }) => {
    await visit("/?page=7");
    await expect(list.card("The Soup Is Off").getByText("Cancelled", { exact: true })).toBeVisible();
    await expect(list.cards.getByText("Cancelled", { exact: true })).toHaveCount(1);
  });

  test("texts are shown verbatim, never as markup", once, async ({ page, list, visit }) => {
    for (const [search, title] of [
      ["tea", "Tea"],
      ["clowns", EMOJI_TITLE],
      ["leith", "I <3 Leith"],
      ["fine", CURLY_TITLE],
      ["ebloui", "Café Ébloui"],
      ["bold", MARKUP_TITLE],
    ] as const) {
      await visit(`/?search=${search}`);
      await expect(list.titles.getByText(title, { exact: true })).toBeVisible();
    }
    const card = list.card(MARKUP_TITLE);
    await expect(card.getByText("by <script>alert(2)</script>", { exact: true })).toBeVisible();
    await expect(card.getByText("R&D", { exact: true })).toBeVisible();
    await expect(card.getByText("<i>not slanted</i>", { exact: true })).toBeVisible();
    await expect(page.getByRole("main").locator("b, i, img, script")).toHaveCount(0);
  });

  test("two shows with the same title have two cards", once, async ({ list, visit }) => {
    await visit("/?search=twice");
    await expect(list.titles).toHaveText(["Twice", "Twice"]);
    await expect(list.cards.nth(0)).toContainText("by First Company");
    await expect(list.cards.nth(1)).toContainText("by Second Company");
  });

  test("a long description is clamped to three lines, and a short one takes one", async ({ list, visit }) => {
    const lineCount = (text: Locator) =>
      text.evaluate((node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight));
    await visit("/?search=thorough");
    const long = list.card("Thorough").getByText(LONG_DESCRIPTION, { exact: true });
    expect(await lineCount(long)).toBeCloseTo(3, 1);
    await visit("/?search=moth");
    expect(await lineCount(list.card("Moth Hour").getByText("An hour among moths."))).toBeCloseTo(1, 1);
  });

  test("long titles and long words stay whole, inside their cards", async ({ list, visit }) => {
    for (const title of [LONG_TITLE, LONG_WORD]) {
      await visit(`/?search=${encodeURIComponent(title.slice(0, 60))}`);
      const heading = list.card(title).getByRole("heading", { name: title, exact: true });
      await expect(heading).toBeVisible();
      const overflow = await list.card(title).evaluate((card) => {
        const { left, right } = card.getBoundingClientRect();
        const outside = [...card.querySelectorAll("*")].filter((part) => {
          const box = part.getBoundingClientRect();
          return box.left < left - 1 || box.right > right + 1;
        });
        return outside.map((part) => part.textContent);
      });
      expect(overflow).toEqual([]);
      expect(await heading.evaluate((node) => node.scrollHeight - node.clientHeight)).toBeLessThanOrEqual(1);
    }
  });
});

test(
  "a title opens the show's website in a new tab without window.opener",
  once,
  async ({ page, context, list, visit, problems }) => {
    problems.expect(/^elsewhere: https:\/\/moth-hour\.example\/edinburgh\?lang=en&from=list$/);
    await context.route("https://moth-hour.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Moths</title><link rel=icon href='data:,'>" }),
    );
    await visit("/");
    const opened = context.waitForEvent("page");
    await list.card("Moth Hour").getByRole("link", { name: "Moth Hour" }).click();
    const tab = await opened;
    await expect(tab).toHaveTitle("Moths");
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    await expect(page).toHaveURL("/");
  },
);

for (const colorScheme of ["light", "dark"] as const) {
  test(
    `in ${colorScheme} mode the badge is green for no, yellow for very little and red for yes`,
    once,
    async ({ page, list, visit }) => {
      await page.emulateMedia({ colorScheme });
      await visit("/");
      for (const [title, from, to] of [
        ["Sit Back", 90, 170],
        ["Clap Along", 35, 65],
        ["The Floor Is Lava", -20, 20],
      ] as const) {
        const hue = await list.card(title).getByText("Most common:").evaluate(hueOfBackground);
        expect(hue).toBeGreaterThanOrEqual(from);
        expect(hue).toBeLessThanOrEqual(to);
      }
    },
  );
}

/** Returns the hue in degrees from -180 to 180: 0 is red, 60 yellow, 120 green. */
function hueOfBackground(element: Element): number {
  const [r = 0, g = 0, b = 0] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []).map(
    Number,
  );
  return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
}
