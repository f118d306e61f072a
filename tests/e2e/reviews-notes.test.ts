import { interactions } from "../../src/domain/review.ts";
import { test } from "./support/accounts.ts";
import { expectAccessible } from "./support/axe.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect, phone } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

test("a pointer that rests on a tally opens its newest notes", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 31", "yes", ["1", "2", "3", "4", "5\n<i>five</i>", "6"]);
  await visit("/?search=matinee+31");
  const card = ui.card("Matinee 31");
  const button = ui.notesButton(card, "5 notes for Yes");
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await button.hover();
  const notes = ui.openNotes(card);
  await expect(notes.getByRole("heading")).toHaveText("5 notes for Yes");
  const all = notes.getByRole("link", { name: "All 6 notes for Yes" });
  await expect(all).toHaveAttribute("href", /^\/\?show=[^&]+&notes=yes$/);
  await expect(notes).toHaveText(/All 6 notes for Yes\s*active participation required, such as volunteers/);
  await expect(ui.noteTexts(card)).toHaveText(["1", "2", "3", "4", "5\n<i>five</i>"], { useInnerText: true });
  await expect(notes.getByRole("listitem").last().locator("time")).toHaveText(/^\d+ \w{3}( \d{4})?$/);
  await expect(button).toHaveAttribute("aria-expanded", "true");
  await notes.hover();
  await expect(notes).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(notes).toHaveCount(0);
  await button.hover({ position: { x: 4, y: 4 } });
  await expect(notes).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(notes).toHaveCount(0);
  await button.dispatchEvent("pointermove", { pointerType: "pen", bubbles: true });
  await expect(notes).toBeVisible();
});

test("straight down from a tally a pointer reaches the button", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  environment,
}) => {
  const long = "We all sat in the second row and were asked to stand up. ".repeat(9);
  for (const interaction of interactions)
    await insertReviewsWithNotes(environment, "Matinee 35", interaction, Array(5).fill(long));
  await visit("/?search=matinee+35");
  const card = ui.card("Matinee 35");
  await expect(ui.notesButton(card, "5 notes for Yes")).toBeVisible();
  const button = ui.reviewButton(card);
  await button.scrollIntoViewIfNeeded();
  const [row, target] = [await card.locator(".tallies").boundingBox(), await button.boundingBox()];
  if (!row || !target) throw new Error("The card is not on the screen");
  for (const part of [0.1, 0.5, 0.9]) {
    for (const rests of [false, true]) {
      const x = target.x + part * target.width;
      await page.mouse.move(x, row.y + row.height / 2);
      if (rests) await expect(ui.openNotes(card)).toBeVisible();
      await page.mouse.move(x, target.y + target.height / 2, { steps: 8 });
      await expect(ui.openNotes(card)).toHaveCount(0);
      // Hovered in the next frame, when the notes over it have closed.
      await expect.poll(() => button.evaluate((node) => node.matches(":hover"))).toBe(true);
    }
  }
});

test("keyboard focus opens notes, and Escape closes them", async ({ page, ui, visit, environment }) => {
  await insertReviewsWithNotes(environment, "Matinee 32", "no", ["Calm."]);
  await insertReviewsWithNotes(environment, "Matinee 32", "yes", ["Loud.\n".repeat(100)]);
  await visit("/?search=matinee+32");
  const card = ui.card("Matinee 32");
  const calm = ui.notesButton(card, "1 note for No");
  const button = ui.notesButton(card, "1 note for Yes");
  await expect(button).toBeVisible();
  await ui.reviewButton(card).focus();
  await page.keyboard.press("Shift+Tab");
  await expect(button).toBeFocused();
  const notes = ui.openNotes(card);
  await expect(notes.getByRole("heading")).toHaveText("1 note for Yes");
  // They are a Tab stop, because they scroll.
  await page.keyboard.press("Tab");
  await expect(notes).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(ui.reviewButton(card)).toBeFocused();
  await expect(notes).toHaveCount(0);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Escape");
  await expect(notes).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(notes).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(notes).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(notes).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(calm).toBeFocused();
  await expect(ui.noteTexts(card)).toHaveText("Calm.");
  await page.keyboard.press("Tab");
  await expect(button).toBeFocused();
  await test.step("Enter keeps them open, and hovering over another tally replaces them", async () => {
    await page.keyboard.press("Enter");
    await expect(notes.getByRole("heading")).toHaveText("1 note for Yes");
    await calm.hover();
    await expect(ui.noteTexts(card)).toHaveText("Calm.");
  });
});

for (const [kind, options, sizes] of [
  ["with a mouse", {}, ["1100x800", "740x560", "480x720", "700x360", "320x256"]],
  [
    "on a phone held sideways",
    { isMobile: true, hasTouch: true },
    ["667x375", "740x360", "568x320", "932x430"],
  ],
] as const) {
  test.describe(`${kind}`, () => {
    test.use(options);

    test("notes have room for their text, wherever the tally is", async ({
      page,
      ui,
      visit,
      environment,
    }) => {
      const title = "Matinee 30";
      const texts = [
        "Everybody in the second row was asked to stand up and sing. ".repeat(6),
        "Loud.",
        "Short.",
      ];
      await insertReviewsWithNotes(environment, title, "yes", texts);
      await visit("/?search=matinee+30");
      const button = ui.notesButton(ui.card(title), "3 notes for Yes");
      const notes = ui.openNotes(ui.card(title));
      for (const size of sizes) {
        const [width = 0, height = 0] = size.split("x").map(Number);
        await page.setViewportSize({ width, height });
        for (const top of [0, 30, 90, 130, 170, height - 90]) {
          await button.evaluate((node, top) => {
            // Room to scroll: the list is short.
            Object.assign(document.body.style, { paddingBlock: "1000px" });
            scrollBy(0, node.getBoundingClientRect().top - top);
          }, top);
          await button.dispatchEvent("click");
          const lines = await notes.evaluate((box, height) => {
            const text = box.querySelector(".note-box")?.getBoundingClientRect();
            const { bottom, top } = box.getBoundingClientRect();
            const floats = getComputedStyle(box).position === "absolute";
            if (floats && (top < 0 || bottom > height)) return "outside the window";
            const title = box.closest(".card")?.querySelector(".card-title")?.getBoundingClientRect();
            if (floats && title && top < title.bottom - 1 && bottom > title.top) return "over the title";
            return Math.min(bottom, text?.bottom ?? 0) - (text?.top ?? 0) >= 60 || `${bottom - top} px`;
          }, height);
          expect(lines, `${size}, tally at ${top}`).toBe(true);
          await button.dispatchEvent("click");
          await expect(notes).toHaveCount(0);
        }
      }
    });
  });
}

test.describe("by touch", () => {
  test.use(phone);

  test("a tap opens notes inside the screen, and closes them", { tag: "@measures" }, async ({
    page,
    ui,
    visit,
    environment,
  }) => {
    const title = "Matinee 33";
    await insertReviewsWithNotes(environment, title, "very_little", [
      `${"Gnurp".repeat(40)} ${"words ".repeat(120)}`,
      "Short.",
    ]);
    await visit("/?search=matinee+33");
    const card = ui.card(title);
    const button = ui.notesButton(card, "2 notes for Very little");
    await button.tap();
    const notes = ui.openNotes(card);
    await expect(notes).toBeVisible();
    const screen = page.viewportSize()?.width ?? 0;
    await expect(notes.getByText(/^minimal participation such as/)).toBeInViewport();
    const box = await notes.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(screen);
    expect(await overflowOf(page)).toBe(0);
    await button.tap();
    await expect(notes).toHaveCount(0);
    await button.tap();
    await expect(notes).toBeVisible();
    await ui.searchBox.tap();
    await expect(notes).toHaveCount(0);
    await button.tap();
    await notes.getByRole("button", { name: "Close notes" }).tap();
    await expect(notes).toHaveCount(0);
  });
});

test("notes load with one request and shift nothing", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  environment,
}) => {
  await insertReviewsWithNotes(environment, "Matinee 34", "yes", ["Loud."]);
  const open = Promise.withResolvers<void>();
  const requests: string[] = [];
  await page.route(/\/api\/reviews\?/, (route) => {
    requests.push(new URL(route.request().url()).search);
    return open.promise.then(() => route.continue());
  });
  await visit("/?search=matinee+34");
  const card = ui.card("Matinee 34");
  const positions = () =>
    card
      .locator("*:not(.tally-notes, .tally-mark, .tally-mark *)")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().toJSON()));
  const before = await positions();
  open.resolve();
  await expect(ui.notesButton(card, "1 note for Yes")).toBeVisible();
  expect(await positions()).toEqual(before);
  expect((await ui.notesButton(card, "1 note for Yes").boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(requests).toHaveLength(1);
});
