import { expect, test } from "vitest";
import { sourceOf } from "../../tests/support/show-source.ts";
import type { Show } from "../domain/show.ts";
import { buildShowList } from "./build-show-list.server.ts";
import { noShows } from "./listed-shows.server.ts";
import { createShowTexts } from "./show-texts.server.ts";

const shows = ["1", "2", "3"].map(
  (id): Show => ({
    id,
    title: `Show ${id}`,
    artist: "Newts",
    venue_name: null,
    website: null,
    genre: null,
    description: null,
    year: 2025,
    status: "active",
  }),
);

/** Lists some shows, and then these with a change to the second. Answers the shows of both lists, and whose texts were read for the second one. */
async function listTwice(change: Partial<Show>) {
  const texts = createShowTexts();
  const { shows: before } = await buildShowList(sourceOf(shows), texts, noShows);
  const read: string[] = [];
  const source = sourceOf(shows.map((show) => (show.id === "2" ? { ...show, ...change } : show)));
  const watched = {
    ...source,
    shows(ids?: readonly string[]) {
      read.push(...(ids ?? ["all"]));
      return source.shows(ids);
    },
  };
  const { shows: after } = await buildShowList(watched, texts, before);
  return { before, after, read };
}

test("where no show has changed nothing is made anew, and no text is read", async () => {
  const { before, after, read } = await listTwice({});
  expect(after).toBe(before);
  expect(read).toEqual([]);
});

test("where other words than title, artist and venue have changed, only those are read, and the index and the order stay", async () => {
  const { before, after, read } = await listTwice({ description: "Other words" });
  expect(read).toEqual(["2"]);
  expect(after.index).toBe(before.index);
  expect(after.byTitle).toBe(before.byTitle);
  expect(after.addresses).not.toEqual(before.addresses);
});

test.each([{ title: "A show" }, { artist: "Frogs" }, { artist: null }, { venue_name: "Attic" }])(
  "with %o the index is made anew, and no other text is read",
  async (change) => {
    const { before, after, read } = await listTwice(change);
    expect(read).toEqual(["2"]);
    expect(after.index).not.toBe(before.index);
  },
);
