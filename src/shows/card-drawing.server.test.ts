import { createElement } from "react";
import { expect, test } from "vitest";
import { createCardDrawing } from "./card-drawing.server.ts";
import { createCatalogue } from "./catalogue.server.ts";
import type { ListedShow, Show } from "./show.ts";

const tea: Show = {
  id: "tea",
  title: "Tea",
  website: null,
  artist: null,
  venue_name: null,
  genre: null,
  description: null,
  year: 2025,
  status: "active",
};

/** Notes each time that it is drawn. */
function Content({ show, drawn }: { show: ListedShow; drawn: (number | undefined)[] }) {
  drawn.push(show.reviews?.yes);
  return `${show.title} ${show.reviews?.yes}`;
}

test("a listed show is drawn once, and once more when its reviews have changed", async () => {
  const catalogue = createCatalogue();
  await catalogue.replace([[tea]], { talliesKnown: true });
  const drawn: (number | undefined)[] = [];
  const draw = createCardDrawing();
  const look = () =>
    catalogue
      .list({ search: "", interaction: [], page: 1 })
      .shows.map((show) => draw(show, createElement(Content, { show, drawn })));

  expect([look(), look()]).toEqual([["Tea 0"], ["Tea 0"]]);
  expect(drawn).toEqual([0]);
  catalogue.updateTallies("tea", { no: 0, very_little: 0, yes: 3, latest_at: "2025-08-04T12:00:00.000Z" });
  expect([look(), look()]).toEqual([["Tea 3"], ["Tea 3"]]);
  expect(drawn).toEqual([0, 3]);
});
