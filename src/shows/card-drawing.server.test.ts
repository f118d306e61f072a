import { createElement } from "react";
import { expect, test } from "vitest";
import type { ListedShow } from "../domain/show.ts";
import { createCardDrawing } from "./card-drawing.server.ts";

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

test("cards stand where their marks were, and what else is on the page around them", async () => {
  const { draw, putInto } = createCardDrawing()("name");
  const [first, second] = [1, 2].map((yes) =>
    draw(listed(yes), () => createElement(Content, { show: listed(yes), drawn: [] })),
  );

  expect(Buffer.concat(await putInto(`<main>é${first}</main>${second}.`)).toString()).toBe(
    "<main>é<p>Tea 1</p></main><p>Tea 2</p>.",
  );
});

test("a card that is kept takes no more memory than it has bytes", async () => {
  const { draw, putInto } = createCardDrawing()("name");
  const page = draw(listed(1), () => createElement(Content, { show: listed(1), drawn: [] }));
  const card = (await putInto(page)).find((piece) => piece.toString() === "<p>Tea 1</p>");
  expect(card?.buffer.byteLength).toBe(card?.length);
});

test("a show that comes again as it was is not drawn again, and one whose tallies have changed is", async () => {
  const drawn: (number | undefined)[] = [];
  const drawPage = createCardDrawing();
  for (const yes of [1, 1, 2, 2, 1]) {
    const show = listed(yes);
    const { draw, putInto } = drawPage("name");
    const pieces = await putInto(draw(show, () => createElement(Content, { show, drawn })));
    expect(Buffer.concat(pieces).toString()).toBe(`<p>Tea ${yes}</p>`);
  }
  expect(drawn).toEqual([1, 2]);
});

test("many new cards among kept ones each stand in their place, and others have their turn while they are drawn", async () => {
  const drawPage = createCardDrawing();
  const look = async (...tallies: number[]) => {
    const { draw, putInto } = drawPage("name");
    const marks = tallies.map((yes) =>
      draw(listed(yes), () => createElement(Content, { show: listed(yes), drawn: [] })),
    );
    return Buffer.concat(await putInto(marks.join(" "))).toString();
  };
  await look(2, 5);

  const expected = Array.from({ length: 20 }, (_, yes) => `<p>Tea ${yes}</p>`).join(" ");
  const turns: string[] = [];
  const looking = look(...Array.from({ length: 20 }, (_, yes) => yes)).then((page) => turns.push(page));
  setImmediate(() => turns.push("others"));
  await looking;
  expect(turns).toEqual(["others", expected]);
});
