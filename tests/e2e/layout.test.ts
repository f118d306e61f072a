import type { Locator, Page } from "@playwright/test";
import type { List } from "./support/list.ts";
import { expect, once, test, twice } from "./support/test.ts";

/** Returns the elements' bounding boxes, in document order. */
async function boxes(elements: Locator): Promise<DOMRect[]> {
  return elements.evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()));
}

/** Returns the page's horizontal overflow in px. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Columns of the grid by screen width in px (docs/product.md §3.9). */
const columnsAt: Record<number, number> = { 360: 1, 768: 2, 1100: 3, 1500: 4 };

/** Returns how many columns the grid has. */
async function countColumns(list: List): Promise<number> {
  return new Set((await boxes(list.cards)).map(({ x }) => Math.round(x))).size;
}

/** Expects that the parts of the cards in a row are at the same height. */
async function expectAlignedRows(list: List): Promise<void> {
  const cards = await boxes(list.cards);
  const parts = await Promise.all([
    boxes(list.cards.getByRole("heading", { level: 3 })),
    boxes(list.cards.getByRole("heading", { name: "Audience Interaction" })),
    boxes(list.cards.getByRole("button", { name: "Review This Show" })),
  ]);
  for (const part of parts) {
    expect(part).toHaveLength(cards.length);
    for (const [index, { y }] of part.entries()) {
      const first = cards.findIndex((card) => Math.abs(card.y - (cards[index]?.y ?? 0)) < 1);
      expect(Math.abs(y - (part[first]?.y ?? 0))).toBeLessThan(1.5);
    }
  }
}

/** Expects a height of 44 px of buttons and the search box, and a size of 24 px of page links. */
async function expectLargeTargets(page: Page, list: List): Promise<void> {
  const targets = [
    ...(await boxes(page.getByRole("main").getByRole("button"))),
    ...(await boxes(list.searchBox)),
  ];
  expect(Math.min(...targets.map(({ height }) => height))).toBeGreaterThanOrEqual(44);
  const links = await boxes(list.pagination.getByRole("link"));
  expect(Math.min(...links.map(({ width, height }) => Math.min(width, height)))).toBeGreaterThanOrEqual(24);
}

test("the list has one to four columns of aligned cards with large controls, without shift or overflow", async ({
  page,
  list,
  visit,
  viewport,
  problems,
}) => {
  problems.expect(/404/);
  const shifts = await recordShifts(page);
  await visit("/");
  expect(await shifts()).toEqual([]);
  expect(await countColumns(list)).toBe(columnsAt[viewport?.width ?? 0]);
  await expectAlignedRows(list);
  await expectLargeTargets(page, list);
  expect(await overflow(page)).toBe(0);
  for (const address of ["/?page=7", "/?search=gnurp", "/?search=exhaustive", "/nowhere"]) {
    await visit(address);
    if (address === "/?page=7") await expectAlignedRows(list);
    expect(await overflow(page), address).toBe(0);
  }
});

test.describe("on the first screen of a phone", () => {
  test.use({ site: "product" });

  test(
    "stand two rows of filters, a whole placeholder and the whole badge of the first show",
    once,
    async ({ page, list, visit }) => {
      for (const [width, height] of [
        [390, 664],
        [360, 640],
        [320, 640],
      ] as const) {
        await page.setViewportSize({ width, height });
        await visit("/");
        await expect(list.cards.first().getByText(/^Most common: /)).toBeInViewport({ ratio: 1 });
        const rows = new Set((await boxes(list.filters.getByRole("button"))).map(({ y }) => y));
        expect(rows.size).toBe(2);
        expect(await placeholderOverflow(list.searchBox)).toBeLessThanOrEqual(0);
      }
    },
  );
});

/** Returns how many px of an input's placeholder are cut off, or a negative number. */
function placeholderOverflow(input: Locator): Promise<number> {
  return input.evaluate((node) => {
    if (!(node instanceof HTMLInputElement)) throw new Error("No input");
    const { paddingLeft, paddingRight } = getComputedStyle(node);
    const { font } = getComputedStyle(node, "::placeholder");
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    if (!context) throw new Error("No canvas");
    context.font = font;
    const room = node.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return context.measureText(node.placeholder).width - room;
  });
}

test.describe("on a screen 320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test("no page overflows horizontally", once, async ({ page, list, visit, problems }) => {
    problems.expect(/404/);
    for (const address of ["/?page=4", "/?search=gnurp", "/?search=exhaustive", "/nowhere"]) {
      await visit(address);
      expect(await overflow(page), address).toBe(0);
    }
    await visit(`/?search=${"W".repeat(100)}`);
    expect(await overflow(page)).toBe(0);
    await visit("/");
    await list.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
    await expect(list.messages).toBeInViewport({ ratio: 1 });
    expect(await overflow(page)).toBe(0);
  });

  test(
    "text of twice the size, or with more space between letters, words and lines, fits",
    once,
    async ({ page, list, visit }) => {
      // The Content-Security-Policy refuses style elements, but not adopted style sheets.
      const adopt = (rules: string) =>
        page.evaluate((rules) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(rules);
          document.adoptedStyleSheets = [sheet];
        }, rules);
      await visit("/");
      await expect(list.cards).toHaveCount(20);
      await adopt("html { font-size: 200% }");
      expect(await overflow(page)).toBe(0);
      await adopt(`
      * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
      p { margin-bottom: 2em !important }`);
      expect(await overflow(page)).toBe(0);
      const clipped = await page
        .getByRole("button")
        .evaluateAll((buttons) => buttons.filter((button) => button.scrollWidth > button.clientWidth).length);
      expect(clipped).toBe(0);
      await expect(list.card("Moth Hour").getByText("Most common: Yes")).toBeVisible();
    },
  );
});

test("the page follows the system's colour scheme", once, async ({ page, visit }) => {
  await visit("/");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const [background, text] = await page.evaluate(() => {
      const brightness = (colour: string) =>
        (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, n) => sum + Number(n), 0);
      const { color } = getComputedStyle(document.body);
      return [brightness(getComputedStyle(document.documentElement).backgroundColor), brightness(color)];
    });
    expect((background ?? 0) > (text ?? 0)).toBe(colorScheme === "light");
  }
});

test(
  "reduced motion turns off animations, transitions and smooth scrolling",
  once,
  async ({ page, api, list, visit }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await visit("/");
    await list.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
    const held = await api.hold();
    await list.filter("Lots of Interaction").click();
    await expect(list.loading).toBeVisible();
    const moving = await page.evaluate(() => {
      const longest = (times: string) => Math.max(...times.split(",").map((time) => Number.parseFloat(time)));
      return [...document.querySelectorAll("*")]
        .filter((element) => {
          const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(element);
          return (
            longest(transitionDuration) > 0.01 ||
            longest(animationDuration) > 0.01 ||
            scrollBehavior === "smooth"
          );
        })
        .map((element) => element.outerHTML.slice(0, 80));
    });
    expect(moving).toEqual([]);
    await held.release();
    await expect(list.loading).toHaveCount(0);
  },
);

/** Records the page's layout shifts from its start on. Returns a function that reads them. */
async function recordShifts(page: Page): Promise<() => Promise<unknown>> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if ("value" in entry && !Reflect.get(entry, "hadRecentInput")) shifts.push(Number(entry.value));
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  // The observer is called after a frame was painted.
  return () =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      return Reflect.get(window, "shifts");
    });
}

test("a slow search or filter causes no layout shift", twice, async ({ page, api, list, visit }) => {
  const shifts = await recordShifts(page);
  await visit("/");
  for (const [request, summary] of [
    [() => list.searchBox.fill("evening"), /^Showing 1-20 of 24 .* matching "evening"$/],
    [() => list.searchBox.fill("zzz"), /^No shows found$/],
    [() => list.searchBox.fill("moth"), /^Showing 1-1 of 1 .* matching "moth"$/],
    [() => list.searchBox.fill(""), /^Showing 1-20 of 130 /],
    [() => list.filter("Lots of Interaction").click(), /^Showing 1-6 of 6 /],
  ] as const) {
    const held = await api.hold();
    await request();
    // Longer than the half second after an input in which a shift is expected of a page.
    await expect(list.loadingStatus).toBeVisible();
    await held.release();
    await api.restore();
    await expect(list.summary).toHaveText(summary);
    await expect(list.loading).toHaveCount(0);
    expect(await shifts()).toEqual([]);
  }
});
