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
  return createElement("p", null, `${show.title} ${show.reviews?.yes}`);
}

test("cards stand where their marks were, and what else is on the page around them", () => {
  const { draw, putInto } = createCardDrawing()("name");
  const [first, second] = [1, 2].map((yes) =>
    draw(listed(yes), () => createElement(Content, { show: listed(yes), drawn: [] })),
  );

  expect(Buffer.concat(putInto(`<main>é${first}</main>${second}.`)).toString()).toBe(
    "<main>é<p>Tea 1</p></main><p>Tea 2</p>.",
  );
});

test("a card that is kept takes no more memory than it has bytes", () => {
  const { draw, putInto } = createCardDrawing()("name");
  const page = draw(listed(1), () => createElement(Content, { show: listed(1), drawn: [] }));
  const card = putInto(page).find((piece) => piece.toString() === "<p>Tea 1</p>");
  expect(card?.buffer.byteLength).toBe(card?.length);
});

test("a show that comes again as it was is not drawn again, and one whose tallies have changed is", () => {
  const drawn: (number | undefined)[] = [];
  const drawPage = createCardDrawing();
  const look = (show: ListedShow) => {
    const { draw, putInto } = drawPage("name");
    return Buffer.concat(putInto(draw(show, () => createElement(Content, { show, drawn })))).toString();
  };

  expect([look(listed(1)), look(listed(1)), look(listed(2)), look(listed(2)), look(listed(1))]).toEqual([
    "<p>Tea 1</p>",
    "<p>Tea 1</p>",
    "<p>Tea 2</p>",
    "<p>Tea 2</p>",
    "<p>Tea 1</p>",
  ]);
  expect(drawn).toEqual([1, 2]);
});
