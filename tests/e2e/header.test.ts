import { test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";

/** The width of the focus ring and its distance, in CSS pixels. */
const RING = 6;
type Box = { x: number; y: number; width: number; height: number };

test("the parts of the header have room for their focus rings", { tag: "@measures" }, async ({
  page,
  ui,
}) => {
  await ui.openSignedIn(`${"long".repeat(12)}-${crypto.randomUUID()}@people.example`);
  const header = page.getByRole("banner");
  const parts = [
    header.getByRole("link"),
    header.getByRole("button", { name: "Your reviews", exact: true }),
    ui.signOutButton,
    header.getByText("Edinburgh Fringe Festival Show Reviews"),
    ui.searchBox,
  ];
  for (const width of [280, 300, 320, 344, 360, 375, 390, 412, 480]) {
    await page.setViewportSize({ width, height: 640 });
    const boxes = await Promise.all(parts.map((part) => part.evaluate(boxOf)));
    const middles = boxes.slice(0, 3).map(({ y, height }) => Math.round((y + height / 2) / 2));
    if (width >= 320) expect(new Set(middles).size, `rows at ${width} px`).toBe(1);
    for (const [index, box] of boxes.entries()) {
      const edge = Math.min(box.x, box.y, width - box.x - box.width);
      const gaps = boxes.slice(index + 1).map((other) => gapBetween(box, other));
      expect(Math.min(edge, ...gaps), `part ${index + 1} at ${width} px`).toBeGreaterThanOrEqual(RING);
    }
  }
});

test("a long e-mail keeps off the subtitle", { tag: "@measures" }, async ({ page, ui }) => {
  await ui.openSignedIn(`${"long".repeat(12)}-${crypto.randomUUID()}@people.example`);
  const header = page.getByRole("banner");
  const email = header.getByText("@people.example");
  const subtitle = header.getByText("Edinburgh Fringe Festival Show Reviews");
  for (const width of [704, 720, 768, 820, 912, 1024, 1100, 1215, 1216, 1280, 1440, 1600]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(email).toBeVisible();
    const [one, other] = [await email.evaluate(boxOf), await subtitle.evaluate(textBoxOf)];
    expect(gapBetween(one, other), `${width} px`).toBeGreaterThanOrEqual(8);
    expect(one.width, `${width} px`).toBeGreaterThan(90);
  }
});

/** Of its text: the element may be wider. */
function textBoxOf(element: Element): Box {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect().toJSON();
}

const boxOf = (element: Element): Box => element.getBoundingClientRect().toJSON();

function gapBetween(one: Box, other: Box): number {
  const across = Math.max(one.x - other.x - other.width, other.x - one.x - one.width);
  return Math.max(across, one.y - other.y - other.height, other.y - one.y - one.height);
}
