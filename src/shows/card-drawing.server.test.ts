import { createElement } from "react";
import { expect, test } from "vitest";
import { createCardDrawing } from "./card-drawing.server.ts";
import type { ListedShow } from "./show.ts";

const listed = (yes: number): ListedShow => ({
  id: "tea",
  title: "Tea",
  website: null,
  artist: null,
  venue_name: null,
  genre: null,
  description: null,
  year: 2025,
  status: "active",
  reviews: { no: 0, very_little: 0, yes, latest_at: "2025-08-04T12:00:00.000Z" },
});

/** Notes each time that it is drawn. */
function Content({ show, drawn }: { show: ListedShow; drawn: (number | undefined)[] }) {
  drawn.push(show.reviews?.yes);
  return `${show.title} ${show.reviews?.yes}`;
}

test("a show that comes again as it was is not drawn again, and one whose tallies have changed is", () => {
  const drawn: (number | undefined)[] = [];
  const draw = createCardDrawing();
  const look = (show: ListedShow) => draw(show, createElement(Content, { show, drawn }));

  expect([look(listed(1)), look(listed(1)), look(listed(2)), look(listed(2)), look(listed(1))]).toEqual([
    "Tea 1",
    "Tea 1",
    "Tea 2",
    "Tea 2",
    "Tea 1",
  ]);
  expect(drawn).toEqual([1, 2]);
});
