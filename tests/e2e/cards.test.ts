import type { Locator } from "@playwright/test";
import { LONG_DESCRIPTION, LONG_TITLE, LONG_WORD } from "./support/programme.ts";
import { expect, test, widths } from "./support/test.ts";
import type { Ui } from "./support/ui.ts";

test("long texts are clamped or whole, inside their cards", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
}) => {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await test.step("a long description takes three lines, and a short one takes one", async () => {
      const lineCount = (text: Locator) =>
        text.evaluate((node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight));
      await visit("/?search=thorough");
      const long = ui.card("Thorough").getByText(LONG_DESCRIPTION, { exact: true });
      expect(await lineCount(long)).toBeCloseTo(3, 1);
      await visit("/?search=moth");
      expect(await lineCount(ui.card("Moth Hour").getByText("An hour among moths."))).toBeCloseTo(1, 1);
    });
    await test.step("long titles and long words stay whole", async () => {
      for (const title of [LONG_TITLE, LONG_WORD]) {
        await visit(`/?search=${encodeURIComponent(title.slice(0, 60))}`);
        const heading = ui.card(title).getByRole("heading", { name: title, exact: true });
        await expect(heading).toBeVisible();
        const overflow = await ui.card(title).evaluate((card) => {
          const { left, right } = card.getBoundingClientRect();
          const shown = [...card.querySelectorAll("*")].filter((part) => part.checkVisibility());
          const outside = shown.filter((part) => {
            const box = part.getBoundingClientRect();
            return box.left < left - 1 || box.right > right + 1;
          });
          return outside.map((part) => part.textContent);
        });
        expect(overflow).toEqual([]);
        const clipped = await heading.evaluate((node) => node.scrollHeight - node.clientHeight);
        expect(clipped).toBeLessThanOrEqual(1);
      }
    });
  }
});

test("a frame marks the tallies of the chosen filters", async ({ ui, visit }) => {
  await visit("/?interaction=yes");
  const frames = ui
    .card("Sit Back")
    .getByRole("listitem")
    .evaluateAll((tallies) => tallies.map((tally) => getComputedStyle(tally, "::after").borderTopWidth));
  expect(await frames).toEqual(["0px", "0px", "2px"]);
});

const badgeOf = (ui: Ui, title: string) => ui.card(title).getByText("Most common:").evaluate(colours);

test("an interaction has one colour and shape on filter, badge and tally; few reviews have an outline", async ({
  page,
  ui,
  visit,
}) => {
  await visit("/");
  const shapes = new Set<string>();
  for (const [title, label, filter] of [
    ["Sit Back", "No", "No Interaction"],
    ["Clap Along", "Very little", "Some Interaction"],
    ["The Floor Is Lava", "Yes", "Lots of Interaction"],
  ] as const) {
    const card = ui.card(title);
    const marked = [
      ui.filter(filter),
      card.getByText("Most common:"),
      card.getByText(label, { exact: true }),
    ];
    const shapeOf = (element: Element) => getComputedStyle(element, "::before").clipPath;
    const found = await Promise.all(marked.map((element) => element.evaluate(shapeOf)));
    expect(new Set(found).size).toBe(1);
    shapes.add(found[0] ?? "none");
  }
  expect(shapes.size).toBe(3);
  expect(shapes).not.toContain("none");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const lines: Colour[] = [];
    for (const [title, few, from, to] of [
      ["Sit Back", true, 90, 170],
      ["Clap Along", true, 35, 65],
      ["Pick a Card", true, -20, 20],
      ["The Human Pyramid of Leith", false, 90, 170],
      ["The Floor Is Lava", false, -20, 20],
    ] as const) {
      const { fill, line, paper } = await badgeOf(ui, title);
      lines.push(line);
      const hue = hueOf(few ? line : fill);
      expect(hue).toBeGreaterThanOrEqual(from);
      expect(hue).toBeLessThanOrEqual(to);
      if (few) expect([fill, contrast(line, paper) >= 3]).toEqual([[0, 0, 0, 0], true]);
      expect(luminance(paper) > 0.5).toBe(colorScheme === "light");
    }
    const [no = [], , yes = []] = lines;
    const hex = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue("--very-little").slice(1),
    );
    const yellow = [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
    // Without hue they differ in lightness.
    for (const other of [yellow, yes]) expect(contrast(no, other)).toBeGreaterThanOrEqual(1.5);
  }
});

test("a tally of zero is grey and smaller", async ({ page, ui, visit }) => {
  await visit("/");
  const counts = ui.cards.locator(".tally-count");
  const styleOf = (count: RegExp) =>
    counts
      .filter({ hasText: count })
      .first()
      .evaluate((node) => {
        const { color, fontSize } = getComputedStyle(node);
        return { colour: color.match(/[\d.]+/g)?.map(Number) ?? [], size: Number.parseFloat(fontSize) };
      });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const [zero, some] = [await styleOf(/^0$/), await styleOf(/^[1-9]/)];
    const { paper } = await badgeOf(ui, "Sit Back");
    expect(zero.size).toBeLessThan(some.size);
    expect(contrast(zero.colour, paper)).toBeLessThan(contrast(some.colour, paper));
  }
});

test("badges are legible on paper, without controls, and in forced colours", async ({ page, ui, visit }) => {
  await visit("/");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const { text, fill, line } = await badgeOf(ui, "The Floor Is Lava");
  expect(fill).toEqual([0, 0, 0, 0]);
  for (const colour of [text, line]) expect(contrast(colour, [255, 255, 255])).toBeGreaterThanOrEqual(4.5);
  for (const control of [page.getByRole("search"), ui.filters, page.getByRole("button"), ui.pagination])
    await expect(control).toHaveCount(0);
  for (const name of ["All notes", "Details", "Share"])
    await expect(ui.cards.getByRole("link", { name })).toHaveCount(0);
  await expect(ui.cards.first()).toHaveCSS("break-inside", "avoid");

  await page.emulateMedia({ media: "screen", colorScheme: "light", forcedColors: "active" });
  const few = await badgeOf(ui, "Sit Back");
  expect(contrast(few.line, few.paper)).toBeGreaterThanOrEqual(4.5);
  expect(contrast(few.text, few.paper)).toBeGreaterThanOrEqual(4.5);
  const many = await badgeOf(ui, "The Floor Is Lava");
  expect(contrast(many.fill, many.paper)).toBeGreaterThanOrEqual(4.5);
  expect(contrast(many.text, many.fill)).toBeGreaterThanOrEqual(4.5);
  const pressed = await ui.filter("All Shows").evaluate(colours);
  expect(contrast(pressed.fill, pressed.paper)).toBeGreaterThanOrEqual(3);
  await expect(ui.filter("All Shows")).toHaveCSS("outline-style", "none");
});

/** Red, green, blue from 0 to 255, and opacity for a colour that is not opaque. */
type Colour = number[];

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

function hueOf([r = 0, g = 0, b = 0]: Colour): number {
  return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
}
