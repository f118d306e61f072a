import type { Locator, Page } from "@playwright/test";
import { expect, test, widths } from "./support/test.ts";
import { overflowOf, type Ui } from "./support/ui.ts";

async function boxes(elements: Locator): Promise<DOMRect[]> {
  return elements.evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON()));
}

/** Width of the screen in px, and columns of the grid (docs/product.md §3.9). */
const screens = [
  [320, 1],
  [360, 1],
  [768, 2],
  [1100, 3],
  [1500, 4],
] as const;

async function countColumns(ui: Ui): Promise<number> {
  return new Set((await boxes(ui.cards)).map(({ x }) => Math.round(x))).size;
}

async function expectAlignedRows(ui: Ui): Promise<void> {
  const cards = await boxes(ui.cards);
  const parts = await Promise.all([
    boxes(ui.cards.getByRole("heading", { level: 3 })),
    boxes(ui.cards.getByRole("heading", { name: "Audience Interaction" })),
    boxes(ui.cards.getByRole("button", { name: "Review This Show" })),
  ]);
  for (const part of parts) {
    expect(part).toHaveLength(cards.length);
    for (const [index, { y }] of part.entries()) {
      const first = cards.findIndex((card) => Math.abs(card.y - (cards[index]?.y ?? 0)) < 1);
      expect(Math.abs(y - (part[first]?.y ?? 0))).toBeLessThan(1.5);
    }
  }
}

async function expectLargeTargets(page: Page, ui: Ui): Promise<void> {
  const targets = await boxes(page.getByRole("main").getByRole("button").or(ui.searchBox));
  expect(Math.min(...targets.map(({ height }) => height))).toBeGreaterThanOrEqual(44);
  const links = await boxes(ui.pagination.getByRole("link"));
  expect(Math.min(...links.map(({ width, height }) => Math.min(width, height)))).toBeGreaterThanOrEqual(24);
}

/** On a page of its own: our policy refuses the list of fonts. */
const fontsPage = { contentType: "text/html", body: "<!doctype html><title>Fonts</title>" };

test("the browser sees the fonts of the tests alone", { tag: "@measures" }, async ({ page }, { project }) => {
  test.skip(process.platform !== "linux", "elsewhere no file says which fonts a browser sees");
  await page.route("**/fonts", (route) => route.fulfill(fontsPage));
  await page.goto("/fonts");
  await page.context().grantPermissions(["local-fonts"]);
  await page.mouse.click(1, 1);
  const families = await page.evaluate(async () => {
    const fonts: { family: string }[] = await Reflect.get(window, "queryLocalFonts").call(window);
    return [...new Set(fonts.map(({ family }) => family))].sort();
  });
  const own = ["Arimo", "DejaVu Math TeX Gyre", "DejaVu Sans", "DejaVu Sans Mono", "DejaVu Serif"];
  expect(families).toEqual(own);
  const [sans, serif] = project.name === "wide fonts" ? ["DejaVu Sans", "DejaVu Serif"] : ["Arimo", "Arimo"];
  const expected = {
    "sans-serif": sans,
    "system-ui": sans,
    Arial: sans,
    "'Segoe UI', sans-serif": sans,
    serif,
    "'Times New Roman'": serif,
    monospace: "DejaVu Sans Mono",
  };
  const drawnWith = Object.values(expected).map((family) => `"${family}"`);
  expect(await textWidths(page, Object.keys(expected))).toEqual(await textWidths(page, drawnWith));
});

function textWidths(page: Page, families: string[]): Promise<number[]> {
  return page.evaluate((families) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    if (!context) throw new Error("No canvas");
    return families.map((family) => {
      context.font = `600 20px ${family}`;
      return context.measureText("Most common: Yes").width;
    });
  }, families);
}

test("one to four columns are aligned, without shift or overflow", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  problems,
}) => {
  problems.expect(/404/);
  const shifts = await recordShifts(page);
  for (const [width, columns] of screens) {
    await page.setViewportSize({ width, height: 800 });
    await visit("/");
    expect(await shifts()).toEqual([]);
    expect(await countColumns(ui)).toBe(columns);
    await expectAlignedRows(ui);
    await expectLargeTargets(page, ui);
    expect(await overflowOf(page)).toBe(0);
    await visit("/?page=7");
    await expectAlignedRows(ui);
    expect(await overflowOf(page)).toBe(0);
  }
  await page.setViewportSize({ width: 320, height: 800 });
  const addresses = ["/?search=gnurp", "/?search=exhaustive", `/?search=${"W".repeat(100)}`, "/nowhere"];
  for (const address of addresses) {
    await visit(address);
    expect(await overflowOf(page), address).toBe(0);
  }
});

test.describe("on the first screen", () => {
  test.use({ site: "product" });

  test("the first card begins high, and is whole on wide screens", { tag: "@measures" }, async ({
    page,
    ui,
    visit,
  }) => {
    for (const [width, height, highest] of [
      [390, 844, 380],
      [768, 1024, 340],
      [1100, 800, 320],
      [1600, 900, 290],
    ] as const) {
      await page.setViewportSize({ width, height });
      await visit("/");
      const [first] = await boxes(ui.cards.first());
      expect(first?.y, `${width} px`).toBeLessThanOrEqual(highest);
      const end = (first?.y ?? 0) + (first?.height ?? 0);
      if (width >= 1100) expect(end, `${width} px`).toBeLessThanOrEqual(height);
    }
  });

  test("of a phone, two rows of filters, a placeholder and a badge fit", { tag: "@measures" }, async ({
    page,
    ui,
    visit,
  }) => {
    for (const [width, height] of [
      [390, 664],
      [360, 640],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      await visit("/");
      await expect(ui.cards.first().getByText(/^Most common: /)).toBeInViewport({ ratio: 1 });
      const rows = new Set((await boxes(ui.filters.getByRole("button"))).map(({ y }) => y));
      expect(rows.size).toBe(2);
      expect(await placeholderOverflow(ui.searchBox)).toBeLessThanOrEqual(0);
    }
  });
});

test("a phone shows the chosen genre, and cuts the row of further filters visibly", {
  tag: "@measures",
}, async ({ page, visit }) => {
  const row = page.getByRole("group", { name: "More:" });
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 640 });
    await visit("/?genre=Comedy");
    await expect(row.getByRole("link", { name: "Comedy" })).toBeInViewport({ ratio: 1 });
    for (const address of ["/", "/?genre=Comedy"]) {
      await visit(address);
      const links = await boxes(row.getByRole("link"));
      const cut = links.filter(({ left, right }) => left < width - 3 && right > width);
      expect(cut, `${address} at ${width} px`).toHaveLength(1);
    }
  }
});

/** Words of cards, below their facts, that two lines share. */
function brokenWords(cards: Locator): Promise<string[]> {
  return cards.locator(".card-head ~ *").evaluateAll((parts) => {
    if (parts.length === 0) throw new Error("No parts of cards");
    return parts.flatMap((part) => {
      const broken: string[] = [];
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        for (const { 0: word, index } of text.textContent?.matchAll(/\S+/g) ?? []) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
          if (lines.size > 1) broken.push(word);
        }
      }
      return broken;
    });
  });
}

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

  test("text of twice the size, or more spaced, fits", { tag: "@measures" }, async ({ page, ui, visit }) => {
    // The Content-Security-Policy refuses style elements, but not adopted style sheets.
    const adopt = (rules: string) =>
      page.evaluate((rules) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(rules);
        document.adoptedStyleSheets = [sheet];
      }, rules);
    await visit("/");
    await expect(ui.cards).toHaveCount(20);
    await ui.reviewButton(ui.card("Moth Hour")).click();
    await expect(ui.messages).toBeInViewport({ ratio: 1 });
    expect(await brokenWords(ui.cards)).toEqual([]);
    await adopt("html { font-size: 200% }");
    expect(await overflowOf(page)).toBe(0);
    expect(await brokenWords(ui.cards)).toEqual([]);
    const tally = ui.card("Moth Hour").locator(".tally").first();
    const [whole, ...parts] = await boxes(tally.or(tally.locator(".tally-label, .tally-count, .tally-bar")));
    expect(parts).toHaveLength(3);
    for (const { y, height } of parts) {
      const middle = y + height / 2 - (whole?.y ?? 0);
      expect(Math.abs(middle / (whole?.height ?? 1) - 0.5), "in one row").toBeLessThan(0.15);
    }
    await adopt(`
      * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
      p { margin-bottom: 2em !important }`);
    expect(await overflowOf(page)).toBe(0);
    const clipped = await page
      .getByRole("button")
      .evaluateAll((buttons) => buttons.filter((button) => button.scrollWidth > button.clientWidth).length);
    expect(clipped).toBe(0);
    await expect(ui.card("Moth Hour").getByText("Most common: Yes")).toBeVisible();
  });
});

test("nothing moves where the system is set to reduced motion", async ({ page, api, ui, visit }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit("/");
  await ui.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
  const held = await api.hold();
  await ui.filter("Lots of Interaction").click();
  await expect(ui.loading).toBeVisible();
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
  await expect(ui.loading).toHaveCount(0);
});

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

test("a slow search or filter causes no layout shift", { tag: "@measures" }, async ({
  page,
  api,
  ui,
  visit,
}) => {
  const shifts = await recordShifts(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    await visit("/");
    for (const [request, summary] of [
      [() => ui.filter("Lots of Interaction").click(), /^Showing 1-6 of 6 /],
      [() => ui.searchBox.fill("zzz"), /^No shows found$/],
      [() => ui.searchBox.fill("moth"), /^Showing 1-1 of 1 .* matching "moth"$/],
    ] as const) {
      const held = await api.hold();
      await request();
      // Longer than the half second after an input in which browsers expect a shift.
      await expect(ui.loadingStatus).toBeVisible();
      // The old list stays.
      await expect(page.locator(".stale")).toHaveAttribute("aria-busy", "true");
      await expect(ui.summary).not.toHaveText(summary);
      const [pill, filters, list] = await Promise.all(
        [ui.loading, ui.filter("All Shows"), page.locator(".stale")].map((part) => part.boundingBox()),
      );
      expect(pill?.y, "below the filters").toBeGreaterThanOrEqual((filters?.y ?? 0) + (filters?.height ?? 0));
      expect((pill?.y ?? 0) + (pill?.height ?? 0), "above the list").toBeLessThanOrEqual(list?.y ?? 0);
      await held.release();
      await api.restore();
      await expect(ui.summary).toHaveText(summary);
      await expect(ui.loading).toHaveCount(0);
      expect(await shifts()).toEqual([]);
    }
  }
});
