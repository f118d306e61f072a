import { test } from "./support/accounts.ts";
import { expect } from "./support/test.ts";

test("the parts of the header have room for their focus rings", async ({ page, ui }) => {
  await ui.openSignedIn(`${"long".repeat(12)}-${crypto.randomUUID()}@people.example`);
  const header = page.getByRole("banner");
  const parts = [
    header.getByRole("link"),
    header.getByRole("button", { name: "Your reviews", exact: true }),
    ui.signOutButton,
    header.getByText("Edinburgh Fringe Festival Show Reviews"),
    page.getByRole("searchbox"),
  ];
  for (const width of [280, 300, 320, 344, 360, 375, 390, 412, 480]) {
    await page.setViewportSize({ width, height: 640 });
    const boxes = await Promise.all(parts.map((part) => part.evaluate(boxOf)));
    for (const [index, box] of boxes.entries()) {
      expect(Math.min(box.left, box.top, width - box.right), `${width} px`).toBeGreaterThanOrEqual(RING);
      for (const other of boxes.slice(index + 1))
        expect(gapBetween(box, other), `${width} px: ${box.name}, ${other.name}`).toBeGreaterThanOrEqual(
          RING,
        );
    }
  }
});

/** The width of the focus ring and its distance, in CSS pixels. */
const RING = 6;
type Box = { name: string; left: number; top: number; right: number; bottom: number };

function boxOf(element: Element): Box {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return { name: element.textContent || element.tagName, left, top, right, bottom };
}

function gapBetween(one: Box, other: Box): number {
  const across = Math.max(one.left - other.right, other.left - one.right);
  const down = Math.max(one.top - other.bottom, other.top - one.bottom);
  return Math.max(across, down);
}
