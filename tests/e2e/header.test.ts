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
    for (const [index, box] of boxes.entries()) {
      const edge = Math.min(box.x, box.y, width - box.x - box.width);
      const gaps = boxes.slice(index + 1).map((other) => gapBetween(box, other));
      expect(Math.min(edge, ...gaps), `part ${index + 1} at ${width} px`).toBeGreaterThanOrEqual(RING);
    }
  }
});

const boxOf = (element: Element): Box => element.getBoundingClientRect().toJSON();

function gapBetween(one: Box, other: Box): number {
  const across = Math.max(one.x - other.x - other.width, other.x - one.x - one.width);
  return Math.max(across, one.y - other.y - other.height, other.y - one.y - one.height);
}
