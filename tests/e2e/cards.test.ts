import type { Locator } from "@playwright/test";
import {
  CURLY_TITLE,
  EMOJI_TITLE,
  LONG_DESCRIPTION,
  LONG_TITLE,
  LONG_WORD,
  MARKUP_TITLE,
} from "./support/programme.ts";
import { expect, once, soak, test, twice, withAndWithoutJavaScript } from "./support/test.ts";

const NO_REVIEWS = "No reviews yet - be the first to share your experience!";

/** Returns the text that is seen of each tally on a card, with single spaces. */
function tallies(card: Locator): Promise<string[]> {
  return card.getByRole("listitem").evaluateAll((items) =>
    items.map((item) => {
      const seen = [...item.querySelectorAll("[aria-hidden]")].map(({ textContent }) => textContent);
      return seen.join(" ").trim();
    }),
  );
}

withAndWithoutJavaScript((javaScriptEnabled, looked) => {
  test(
    "the cards of a page show facts, tallies, badges and the listing's words",
    looked,
    async ({ list, visit }) => {
      await visit("/");
      await test.step("a card shows all facts of its show", async () => {
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
        await expect(card.getByRole("button", { name: "Review This Show", exact: true })).toBeVisible({
          visible: javaScriptEnabled,
        });
        await expect(card.getByText(NO_REVIEWS)).toHaveCount(0);
      });
      await test.step("tallies show exact counts, and bars in proportion", async () => {
        const card = list.card("The Human Pyramid of Leith");
        await expect(card.getByText("(2741 reviews)", { exact: true })).toBeVisible();
        await expect(card.getByText("Most common: No", { exact: true })).toBeVisible();
        expect(await tallies(card)).toEqual(["1204 No", "812 Very little", "725 Yes"]);
        for (const [index, count] of [1204, 812, 725].entries()) {
          const bar = card.getByRole("listitem").nth(index).locator("svg");
          const whole = await bar.boundingBox();
          const part = await bar.locator("rect").boundingBox();
          const inside = (whole?.width ?? 0) - 2; // without the border
          expect((part?.width ?? 0) / inside).toBeCloseTo(count / 2741, 2);
        }
      });
      await test.step("the badge names the most common interaction, on a tie the more interactive one", async () => {
        for (const [title, count, label, tie, ...counts] of [
          [
            "Half a Handshake",
            "(2 reviews)",
            "Very little",
            " tied with No",
            "1 No",
            "1 Very little",
            "0 Yes",
          ],
          ["Pick a Card", "(4 reviews)", "Yes", " tied with Very little", "0 No", "2 Very little", "2 Yes"],
          [
            "Three-Way Split",
            "(3 reviews)",
            "Yes",
            " tied with No and Very little",
            "1 No",
            "1 Very little",
            "1 Yes",
          ],
          ["Sit Back", "(4 reviews)", "No", "", "3 No", "0 Very little", "1 Yes"],
          ["Clap Along", "(4 reviews)", "Very little", "", "0 No", "4 Very little", "0 Yes"],
          ["The Floor Is Lava", "(9 reviews)", "Yes", "", "0 No", "0 Very little", "9 Yes"],
        ] as const) {
          const card = list.card(title);
          await expect(card.getByText(count, { exact: true })).toBeVisible();
          const badge = card.getByText("Most common:");
          await expect(badge).toHaveText(`Most common: ${label}`);
          await expect(badge.locator("xpath=..")).toHaveText(`Most common: ${label}${tie}`);
          expect(await tallies(card)).toEqual(counts);
        }
      });
      await test.step("with fewer than five reviews a line under the badge says so", async () => {
        for (const [title, line] of [
          ["Moth Hour", "Only 1 person has said so far."],
          ["Half a Handshake", "Only 2 people have said so far."],
          ["Three-Way Split", "Only 3 people have said so far."],
        ] as const) {
          const badge = list.card(title).getByText("Most common:");
          await expect(badge.locator("xpath=../following-sibling::*[1]")).toHaveText(line);
        }
        await expect(list.card("The Floor Is Lava").getByText(/^Only /)).toHaveCount(0);
        const heard = list.card("Three-Way Split").getByRole("listitem");
        await expect(heard.nth(2)).toMatchAriaSnapshot("- listitem: 1 of 3 said Yes");
        await expect(list.cards.getByText("%")).toHaveCount(0);
      });
      await test.step("the listing's own word stands below the reviews, with what people say against it", async () => {
        const others = "The listing has warnings, none of them audience participation.";
        for (const [title, ...lines] of [
          ["Moth Hour", "The listing announces audience participation."],
          ["Pick a Card", others, "Not announced, but 2 of 4 people say so."],
          ["Three-Way Split", "The listing gives no warnings.", "Not announced, but 1 of 3 people say so."],
          ["Half a Handshake", "The listing gives no warnings."],
        ] as const) {
          await expect(list.card(title).getByText(/^(The listing |Not announced)/)).toHaveText([...lines]);
        }
      });
    },
  );

  test(
    "cards show unknown facts, odd texts and cancelled shows as they are",
    looked,
    async ({ page, list, visit }) => {
      await test.step("a show without reviews says so and has no tallies", async () => {
        await visit("/?search=tea");
        const card = list.card("Tea");
        await expect(card.getByText("(0 reviews)", { exact: true })).toBeVisible();
        await expect(card.getByText(NO_REVIEWS, { exact: true })).toBeVisible();
        await expect(card.getByText("Most common")).toHaveCount(0);
        await expect(card.getByRole("listitem")).toHaveCount(0);
      });
      await test.step("unknown facts leave no text", async () => {
        await visit("/?search=only+a+title");
        const card = list.card("Only a Title");
        await expect(card.getByRole("heading").getByRole("link")).toHaveCount(0);
        const reviews = `Audience Interaction (0 reviews) ${NO_REVIEWS}`;
        const actions = javaScriptEnabled ? "Review This Show Share" : "Share";
        const expected = `Only a Title ${reviews} The listing gives no warnings. ${actions}`;
        await expect(card).toHaveText(expected, { useInnerText: true });
      });
      await test.step("only a cancelled show has the badge Cancelled", async () => {
        await visit("/?page=7");
        await expect(list.card("The Soup Is Off").getByText("Cancelled", { exact: true })).toBeVisible();
        await expect(list.cards.getByText("Cancelled", { exact: true })).toHaveCount(1);
      });
      await test.step("two shows with the same title have two cards", async () => {
        await visit("/?search=twice");
        await expect(list.titles).toHaveText(["Twice", "Twice"]);
        await expect(list.cards.nth(0)).toContainText("by First Company");
        await expect(list.cards.nth(1)).toContainText("by Second Company");
      });
      await test.step("texts are shown verbatim, never as markup", async () => {
        for (const [search, title] of [
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
    },
  );

  test(
    "long texts are clamped or whole, inside their cards",
    javaScriptEnabled ? twice : soak,
    async ({ list, visit }) => {
      await test.step("a long description takes three lines, and a short one takes one", async () => {
        const lineCount = (text: Locator) =>
          text.evaluate((node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight));
        await visit("/?search=thorough");
        const long = list.card("Thorough").getByText(LONG_DESCRIPTION, { exact: true });
        expect(await lineCount(long)).toBeCloseTo(3, 1);
        await visit("/?search=moth");
        expect(await lineCount(list.card("Moth Hour").getByText("An hour among moths."))).toBeCloseTo(1, 1);
      });
      await test.step("long titles and long words stay whole", async () => {
        for (const title of [LONG_TITLE, LONG_WORD]) {
          await visit(`/?search=${encodeURIComponent(title.slice(0, 60))}`);
          const heading = list.card(title).getByRole("heading", { name: title, exact: true });
          await expect(heading).toBeVisible();
          const overflow = await list.card(title).evaluate((card) => {
            const { left, right } = card.getBoundingClientRect();
            const shown = [...card.querySelectorAll("*")].filter((part) => part.checkVisibility());
            const outside = shown.filter((part) => {
              const box = part.getBoundingClientRect();
              return box.left < left - 1 || box.right > right + 1;
            });
            return outside.map((part) => part.textContent);
          });
          expect(overflow).toEqual([]);
          expect(await heading.evaluate((node) => node.scrollHeight - node.clientHeight)).toBeLessThanOrEqual(
            1,
          );
        }
      });
    },
  );
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

test(
  "in light and dark mode the badge is green for no, yellow for very little and red for yes; with few reviews it is outlined",
  once,
  async ({ page, list, visit }) => {
    await visit("/");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [title, few, from, to] of [
        ["Sit Back", true, 90, 170],
        ["Clap Along", true, 35, 65],
        ["Pick a Card", true, -20, 20],
        ["The Human Pyramid of Leith", false, 90, 170],
        ["The Floor Is Lava", false, -20, 20],
      ] as const) {
        const { text, fill, line, paper } = await list
          .card(title)
          .getByText("Most common:")
          .evaluate(colours);
        const hue = hueOf(few ? line : fill);
        expect(hue).toBeGreaterThanOrEqual(from);
        expect(hue).toBeLessThanOrEqual(to);
        expect(contrast(text, few ? paper : fill)).toBeGreaterThanOrEqual(4.5);
        if (few) {
          expect(fill).toEqual([0, 0, 0, 0]);
          expect(contrast(line, paper)).toBeGreaterThanOrEqual(3);
        }
      }
    }
  },
);

test(
  "each answer has a shape of its own, on its filter, tallies and badge",
  once,
  async ({ list, visit }) => {
    await visit("/");
    const shapes = new Set<string>();
    for (const [title, label, filter] of [
      ["Sit Back", "No", "No Interaction"],
      ["Clap Along", "Very little", "Some Interaction"],
      ["The Floor Is Lava", "Yes", "Lots of Interaction"],
    ] as const) {
      const card = list.card(title);
      const marked = [
        list.filter(filter),
        card.getByText("Most common:"),
        card.getByText(label, { exact: true }),
      ];
      const found = await Promise.all(marked.map((element) => element.evaluate(shapeOf)));
      expect(new Set(found).size).toBe(1);
      shapes.add(found[0] ?? "none");
    }
    expect(shapes.size).toBe(3);
    expect(shapes).not.toContain("none");
  },
);

function shapeOf(element: Element): string {
  return getComputedStyle(element, "::before").clipPath;
}

test(
  "on paper, without hue and in the dark, badges and bars are distinguishable; controls are not printed",
  once,
  async ({ page, list, visit }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await visit("/");
      const palette = await page.evaluate(() =>
        ["--no", "--very-little", "--yes", "--very-little-line", "--paper"].map((name) => {
          const hex = getComputedStyle(document.documentElement).getPropertyValue(name).slice(1);
          return [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
        }),
      );
      const [no = [], veryLittle = [], yes = [], bar = [], paper = []] = palette;
      expect(contrast(no, veryLittle)).toBeGreaterThanOrEqual(1.5);
      expect(contrast(no, yes)).toBeGreaterThanOrEqual(1.5);
      expect(contrast(bar, paper)).toBeGreaterThanOrEqual(3);
    }
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const { text, fill, line } = await list
      .card("The Floor Is Lava")
      .getByText("Most common:")
      .evaluate(colours);
    expect(fill).toEqual([0, 0, 0, 0]);
    for (const colour of [text, line]) expect(contrast(colour, [255, 255, 255])).toBeGreaterThanOrEqual(4.5);
    for (const control of [
      page.getByRole("search"),
      list.filters,
      page.getByRole("button"),
      list.pagination,
    ]) {
      await expect(control).toHaveCount(0);
    }
    await expect(list.cards.first()).toHaveCSS("break-inside", "avoid");
  },
);

test("texts that run from right to left keep their direction", once, async ({ page, api, list, visit }) => {
  const [title, artist, venue_name, genre, description] = ["שלום!", "דנה?", "אולם 7", "(קומדיה)", "מופע."];
  await visit("/");
  const show = { id: "x", title, artist, venue_name, genre, description, website: null };
  const shows = [{ ...show, year: 2025, status: "active", announced: "no" }];
  await api.respond({ json: { year: 2025, page: 1, page_size: 20, total: 1, shows } });
  await list.searchBox.fill("שלום!");
  await expect(list.summary).toHaveText('Showing 1-1 of 1 show for 2025 matching "שלום!"');
  for (const text of [title, artist, venue_name, genre, description]) {
    await expect(list.cards.getByText(text, { exact: true })).toHaveCSS("direction", "rtl");
  }
  await expect(list.summary.getByText("שלום!", { exact: true })).toHaveCSS("direction", "rtl");
  await expect(page.getByText("by דנה?")).toHaveCSS("direction", "ltr");
});

test(
  "in forced colours an outlined badge has a line, a filled one is filled, and so is a pressed filter",
  once,
  async ({ page, list, visit }) => {
    await page.emulateMedia({ forcedColors: "active" });
    await visit("/");
    const few = await list.card("Sit Back").getByText("Most common:").evaluate(colours);
    expect(contrast(few.line, few.paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(few.text, few.paper)).toBeGreaterThanOrEqual(4.5);
    const many = await list.card("The Floor Is Lava").getByText("Most common:").evaluate(colours);
    expect(contrast(many.fill, many.paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(many.text, many.fill)).toBeGreaterThanOrEqual(4.5);
    const pressed = await list.filter("All Shows").evaluate(colours);
    expect(contrast(pressed.fill, pressed.paper)).toBeGreaterThanOrEqual(3);
    await expect(list.filter("All Shows")).toHaveCSS("outline-style", "none");
  },
);

/** Red, green, blue from 0 to 255, and opacity for a colour that is not opaque. */
type Colour = number[];

/** The colours of a badge and of the page behind it. */
function colours(badge: Element): Record<"text" | "fill" | "line" | "paper", Colour> {
  const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const { color, backgroundColor, borderTopColor } = getComputedStyle(badge);
  return {
    text: channels(color),
    fill: channels(backgroundColor),
    line: channels(borderTopColor),
    paper: channels(getComputedStyle(document.documentElement).backgroundColor),
  };
}

/** The contrast ratio of WCAG. */
function contrast(one: Colour, other: Colour): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: Colour): number {
  const [r = 0, g = 0, b = 0] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the hue in degrees from -180 to 180: 0 is red, 60 yellow, 120 green. */
function hueOf([r = 0, g = 0, b = 0]: Colour): number {
  return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
}
