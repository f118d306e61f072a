import type { Locator } from "@playwright/test";
import { test } from "./support/accounts.ts";
import { showIdOf } from "./support/programme.ts";
import { insertReviewsWithNotes } from "./support/review-ui.ts";
import { expect, widths } from "./support/test.ts";
import { overflowOf } from "./support/ui.ts";

const stacked = (letter: string, marks: string) => `${letter}${marks.repeat(8)}`;

const hostile = [
  `Tall ${"\n \u200b\n\u2028\u2029".repeat(60)} and long.`,
  Array.from({ length: 300 }, (_, line) => line % 10).join("\n"),
  "Ho\u0300\u0301\u0302\u0303\u0304 w̷̸ "
    .split(" ")
    .map((word) => stacked(word, "\u0310\u0311\u0316\u0317\u032d\u0489"))
    .join(" "),
  `${"\u20dd\u20de\u20e0\u20e4".repeat(60)} ${"ก้".padEnd(90, "้")} ${stacked("ཀ", "ྲྱཱུ")}`,
  `\u202eback ${"\u2067".repeat(40)}${"Gnurp".repeat(80)}\t${"\t".repeat(90)}end`,
];
const short = "It was calm.";

/** Expects notes to paint nothing outside their boxes, which are covered meanwhile. */
async function expectContained(region: Locator): Promise<void> {
  await region.locator(".note-box").evaluateAll((boxes) => {
    for (const box of boxes) {
      const { x, y, width, height } = box.getBoundingClientRect();
      const cover = document.createElement("div");
      cover.className = "cover";
      const [left, top] = [`${x + scrollX}px`, `${y + scrollY}px`];
      const size = { width: `${width}px`, height: `${height}px` };
      Object.assign(cover.style, { position: "absolute", zIndex: 9, background: "red", left, top, ...size });
      (box.closest("dialog") ?? document.body).append(cover);
    }
  });
  const texts = region.locator(".note-box p");
  const show = (visibility: string) =>
    texts.evaluateAll((all: HTMLElement[], to) => {
      for (const { style } of all) style.visibility = to;
    }, visibility);
  const before = await region.screenshot({ animations: "disabled" });
  await show("hidden");
  const after = await region.screenshot({ animations: "disabled" });
  await show("");
  await region
    .page()
    .locator(".cover")
    .evaluateAll((covers) => {
      for (const cover of covers) cover.remove();
    });
  expect(before.equals(after)).toBe(true);
}

test("on a show's page no note paints outside its box", { tag: "@measures" }, async ({
  page,
  ui,
  visit,
  environment,
}) => {
  const title = "Matinee 61";
  await insertReviewsWithNotes(environment, title, "yes", hostile);
  await insertReviewsWithNotes(environment, title, "no", [short]);
  await visit(`/?show=${showIdOf(title)}`);
  const card = ui.card(title);
  const notes = card.locator(".open-notes");
  const boxes = notes.locator(".note-box");
  await expect(boxes).toHaveCount(6);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overflowOf(page)).toBe(0);
    for (const box of await boxes.all()) expect((await box.boundingBox())?.height).toBeLessThan(300);
    await expectContained(card);
  }

  const calm = notes.getByRole("listitem").filter({ hasText: short });
  await expect(calm.getByRole("button", { name: "Show all" })).toHaveCount(0);
  const high = notes.getByRole("listitem").filter({ hasText: /^0\n1\n2\n/ });
  const more = high.getByRole("button", { name: "Show all", exact: true });
  await expect(more).toHaveAttribute("aria-expanded", "false");
  await more.focus();
  await page.keyboard.press("Enter");
  await expect(more).toHaveAttribute("aria-expanded", "true");
  await expect(more).toBeFocused();
  const all = await high.locator(".note-box").boundingBox();
  expect(all?.height).toBeGreaterThan(6_000);
  expect(await overflowOf(page)).toBe(0);
  await page.keyboard.press("Space");
  await expect(more).toHaveAttribute("aria-expanded", "false");
  expect((await high.locator(".note-box").boundingBox())?.height).toBeLessThan(300);
});
