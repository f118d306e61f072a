import type { Locator, Page } from "@playwright/test";
import { expect, once, test, withAndWithoutJavaScript } from "./support/test.ts";

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

withAndWithoutJavaScript(() => {
  test("the grid has one to four columns, by the width of the window", async ({ list, visit, viewport }) => {
    await visit("/");
    const columns = new Set((await boxes(list.cards)).map(({ x }) => Math.round(x)));
    expect(columns.size).toBe(columnsAt[viewport?.width ?? 0]);
  });
});

test("the parts of the cards in a row line up", async ({ list, visit }) => {
  for (const address of ["/", "/?page=2", "/?page=7"]) {
    await visit(address);
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
});

test("no page overflows horizontally", async ({ page, visit, problems }) => {
  problems.expect(/404/);
  for (const address of [
    "/",
    "/?page=3",
    "/?search=gnurp",
    "/?search=exhaustive",
    "/?search=zzz",
    "/nowhere",
  ]) {
    await visit(address);
    expect(await overflow(page)).toBe(0);
  }
});

test.describe("on a screen 320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test("no page overflows horizontally", once, async ({ page, list, visit, problems }) => {
    problems.expect(/404/);
    for (const address of [
      "/",
      "/?page=4",
      "/?search=gnurp",
      "/?search=exhaustive",
      "/?search=zzz",
      "/nowhere",
    ]) {
      await visit(address);
      expect(await overflow(page), address).toBe(0);
    }
    await visit(`/?search=${"W".repeat(100)}`);
    expect(await overflow(page)).toBe(0);
    await visit("/");
    await list.card("Moth Hour").getByRole("button", { name: "Review This Show" }).click();
    await expect(list.toasts.getByRole("status")).toBeInViewport({ ratio: 1 });
    expect(await overflow(page)).toBe(0);
  });

  test("text with increased letter, word and line spacing fits", once, async ({ page, list, visit }) => {
    await visit("/?search=moth&page=1");
    await page.evaluate(() => {
      const wide = new CSSStyleSheet();
      wide.replaceSync(`
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
        p { margin-bottom: 2em !important }`);
      // The Content-Security-Policy refuses style elements, but not adopted style sheets.
      document.adoptedStyleSheets.push(wide);
    });
    expect(await overflow(page)).toBe(0);
    const clipped = await page
      .getByRole("button")
      .evaluateAll((buttons) => buttons.filter((button) => button.scrollWidth > button.clientWidth).length);
    expect(clipped).toBe(0);
    await expect(list.card("Moth Hour").getByText("Most common: Yes")).toBeVisible();
  });
});

test("buttons and the search box are at least 44 px high, and page links 24 px", async ({
  page,
  list,
  visit,
}) => {
  await visit("/");
  const targets = [
    ...(await boxes(page.getByRole("main").getByRole("button"))),
    ...(await boxes(list.searchBox)),
  ];
  expect(Math.min(...targets.map(({ height }) => height))).toBeGreaterThanOrEqual(44);
  const links = await boxes(list.pagination.getByRole("link"));
  expect(Math.min(...links.map(({ width, height }) => Math.min(width, height)))).toBeGreaterThanOrEqual(24);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the page follows the system's ${colorScheme} setting`, once, async ({ page, visit }) => {
    await page.emulateMedia({ colorScheme });
    await visit("/");
    const [background, text] = await page.evaluate(() => {
      const brightness = (colour: string) =>
        (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, n) => sum + Number(n), 0);
      const { color } = getComputedStyle(document.body);
      return [brightness(getComputedStyle(document.documentElement).backgroundColor), brightness(color)];
    });
    expect((background ?? 0) > (text ?? 0)).toBe(colorScheme === "light");
  });
}

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

test("hydration causes no layout shift", async ({ page, visit }) => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ("value" in entry) shifts.push(Number(entry.value));
    }).observe({ type: "layout-shift", buffered: true });
  });
  await visit("/");
  expect(await page.evaluate(() => Reflect.get(window, "shifts"))).toEqual([]);
});
