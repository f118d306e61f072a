import { expectAccessible } from "./support/axe.ts";
import { insertReviewsWithNotes, test } from "./support/review-ui.ts";
import { expect, once } from "./support/test.ts";

test(
  "hovering over a tally opens its five newest notes, which stay open while hovered",
  once,
  async ({ page, list, reviewUi, visit, environment }) => {
    await insertReviewsWithNotes(environment, "Matinee 31", "yes", [
      "1",
      "2",
      "3",
      "4",
      "5\n<i>five</i>",
      "6",
    ]);
    await visit("/?search=matinee+31");
    const card = list.card("Matinee 31");
    const button = reviewUi.notesButton(card, "5 notes for Yes");
    await expect(button).toHaveAttribute("aria-expanded", "false");
    await button.hover();
    const notes = reviewUi.openNotes(card);
    await expect(notes.getByRole("paragraph")).toHaveText(["1", "2", "3", "4", "5\n<i>five</i>"], {
      useInnerText: true,
    });
    await expect(button).toHaveAttribute("aria-expanded", "true");
    await notes.hover();
    await expect(notes).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(notes).toHaveCount(0);
    await button.hover({ position: { x: 4, y: 4 } });
    await page.mouse.move(0, 0);
    await expect(notes).toHaveCount(0);
  },
);

test(
  "keyboard focus opens notes, and Escape closes them",
  once,
  async ({ page, list, reviewUi, visit, environment }) => {
    await insertReviewsWithNotes(environment, "Matinee 32", "no", ["Calm."]);
    await visit("/?search=matinee+32");
    const card = list.card("Matinee 32");
    const button = reviewUi.notesButton(card, "1 note for No");
    await expect(button).toBeVisible();
    await reviewUi.reviewButton(card).focus();
    await page.keyboard.press("Shift+Tab");
    await expect(button).toBeFocused();
    const notes = reviewUi.openNotes(card);
    await expect(notes).toHaveText("Calm.");
    await page.keyboard.press("Tab");
    await expect(notes).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(reviewUi.reviewButton(card)).toBeFocused();
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
  },
);

test(
  "Enter on a focused tally keeps its notes open, and hovering over another replaces them",
  once,
  async ({ page, list, reviewUi, visit, environment }) => {
    await insertReviewsWithNotes(environment, "Matinee 38", "no", ["Calm."]);
    await insertReviewsWithNotes(environment, "Matinee 38", "yes", ["Loud."]);
    await visit("/?search=matinee+38");
    const card = list.card("Matinee 38");
    const loud = reviewUi.notesButton(card, "1 note for Yes");
    await expect(loud).toBeVisible();
    await reviewUi.reviewButton(card).focus();
    await page.keyboard.press("Shift+Tab");
    await expect(loud).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(reviewUi.openNotes(card)).toHaveText("Loud.");
    await reviewUi.notesButton(card, "1 note for No").hover();
    await expect(reviewUi.openNotes(card)).toHaveText("Calm.");
  },
);

test.describe("by touch", () => {
  test.use({ hasTouch: true });

  test("a tap opens notes inside the screen, and a second tap or one elsewhere closes them", async ({
    page,
    list,
    reviewUi,
    visit,
    environment,
  }) => {
    const title = "Matinee 33";
    await environment.database.db
      .deleteFrom("reviews")
      .where("show_id", "in", (shows) => shows.selectFrom("shows").select("id").where("title", "=", title))
      .execute();
    await insertReviewsWithNotes(environment, title, "very_little", [
      `${"Gnurp".repeat(40)} ${"words ".repeat(120)}`,
      "Short.",
    ]);
    await visit("/?search=matinee+33");
    const card = list.card(title);
    const button = reviewUi.notesButton(card, "2 notes for Very little");
    await button.tap();
    const notes = reviewUi.openNotes(card);
    await expect(notes).toBeVisible();
    const screen = page.viewportSize()?.width ?? 0;
    const box = await notes.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(screen);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    await button.tap();
    await expect(notes).toHaveCount(0);
    await button.tap();
    await expect(notes).toBeVisible();
    await list.searchBox.tap();
    await expect(notes).toHaveCount(0);
  });
});

test(
  "notes load with one request and shift nothing",
  once,
  async ({ page, list, reviewUi, visit, environment }) => {
    await insertReviewsWithNotes(environment, "Matinee 34", "yes", ["Loud."]);
    const open = Promise.withResolvers<void>();
    const requests: string[] = [];
    await page.route(/\/api\/reviews\?/, (route) => {
      requests.push(new URL(route.request().url()).search);
      return open.promise.then(() => route.continue());
    });
    await visit("/?search=matinee+34");
    const card = list.card("Matinee 34");
    const positions = () =>
      card
        .locator("*:not(.tally-notes *, .tally-notes)")
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().toJSON()));
    const before = await positions();
    open.resolve();
    await expect(reviewUi.notesButton(card, "1 note for Yes")).toBeVisible();
    expect(await positions()).toEqual(before);
    expect((await reviewUi.notesButton(card, "1 note for Yes").boundingBox())?.height).toBeGreaterThanOrEqual(
      44,
    );
    expect(requests).toHaveLength(1);
  },
);

for (const [failure, response] of [
  ["a server error", { status: 503, json: { code: "unavailable", message: "Later." } }],
  ["a captive portal's page", { contentType: "text/html", body: "<h1>Please log in</h1>" }],
] as const) {
  test(
    `${failure} instead of notes is logged and leaves the list usable`,
    once,
    async ({ page, list, visit, problems }) => {
      problems.expect(/^console error: Reviews could not be loaded/);
      problems.allow(/^503: /, /^console error: Failed to load resource/);
      await page.route(/\/api\/reviews\?/, (route) => route.fulfill(response));
      await visit("/");
      await expect(list.card("Moth Hour")).toContainText("Most common: Yes");
      await list.pageLink(2).click();
      await expect(list.summary).toContainText("Showing 21-40");
      await expect(list.toasts.getByRole("alert")).toHaveCount(0);
    },
  );
}
