import fc from "fast-check";
import { expect, test } from "vitest";
import { loadProgramme } from "../../dev/invented-data.ts";
import { bareShow, noTallies, snapshotOf } from "../../tests/support/snapshot.ts";
import { cleanSearch, parseShowQuery, type ShowQuery, wholeList } from "../domain/show-query.ts";
import { createCatalogue } from "./catalogue.server.ts";
import { openSavedList } from "./offline-search.ts";
import { packShows, packTallies } from "./pack-shows.server.ts";

/** No two are alike. Title, artist, venue, genre. */
const known = [
  ["Classic Penguins", "Garry Starr", "Underbelly, Cowgate", "Comedy"],
  ["Müller & Sons: the Last Bakery (WIP)", "Zoë O’Brien", "Pleasance Courtyard", "Theatre"],
  ["M*A*S*H, a Love Story!", null, "Summerhall – Dissection Room", "Theatre"],
  ["1001 Nights in Leith", "Smørrebrød Collective", null, "Theatre"],
  ["The Unbearable Lightness of Bagpipes", "Ian's Choir", "theSpace @ Niddry St", "Music"],
  ["Knitting for Astronauts", "Ada", "Assembly Rooms", "Comedy"],
] as const;

const fillers = loadProgramme({ size: 300 }).map(({ title, artist }, index) => {
  return { ...bareShow(`filler-${index}`), title: title ?? "", artist: artist ?? null };
});
const shows = known.map(([title, artist, venue_name, genre], index) => {
  const reviews = { ...noTallies, no: 9, total: 9, latest_at: "2025-08-01T00:00:00.000Z" };
  return { ...bareShow(`known-${index}`), title, artist, venue_name, genre, reviews };
});
const catalogue = createCatalogue();
await catalogue.replace(snapshotOf([...shows, ...fillers]));
const saved = openSavedList(
  packShows(catalogue.shows()),
  packTallies(catalogue.reviewed(), catalogue.idStart),
);

function suggest(query: Partial<ShowQuery>) {
  const asked = { ...wholeList, ...query };
  const { page } = catalogue.find(asked);
  expect(saved.find(asked).did_you_mean).toEqual(page.did_you_mean);
  if (page.total > 0) expect(page.did_you_mean).toBeUndefined();
  return page;
}

const kinds: ((letters: string[], at: number, letter: string) => void)[] = [
  (letters, at) => letters.splice(at, 1),
  (letters, at) => letters.splice(at, 0, letters[at] ?? ""),
  (letters, at, letter) => letters.splice(at, 1, letter),
  (letters, at) => letters.splice(at, 2, letters[at + 1] ?? "", letters[at] ?? ""),
];

test("after any one slip in a title, the offered search finds its show (docs/product.md §2.26)", () => {
  const slips = fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.nat(),
    letter: fc.constantFrom(..."aeknsz"),
  });
  fc.assert(
    fc.property(fc.constantFrom(...shows), slips, (show, { kind, at, letter }) => {
      const letters = [...show.title];
      kind(letters, at % letters.length, letter);
      const { total, did_you_mean } = suggest({ search: cleanSearch(letters.join("")) });
      if (total > 0) return;
      const found = catalogue.find(parseShowQuery(new URLSearchParams(did_you_mean?.query)));
      expect(found.page.shows.map(({ id }) => id)).toContain(show.id);
    }),
  );
});

test.each([
  ["gary starr", "Garry Starr"],
  ["Pleasence", "Pleasance"],
  ["disection", "Dissection"],
  ["zoe obrein", "Zoë O’Brien"],
  ["muler and sons", "Müller & Sons"],
  ["unbearble lihgtness", "Unbearable Lightness"],
  ["lsat bakery", "Last Bakery"],
  ["smorebrod", "Smørrebrød"],
  ["unbaerble lihgtness of bagpipes", "Unbearable Lightness of Bagpipes"],
  ["bgkrey", undefined],
  ["garry", undefined],
  ["gxrry star", "Garry Starr"],
  ["gxrri sturr", undefined],
  ["lei", undefined],
  ["zzzzzzzz", undefined],
  ["!!!!!!!!", undefined],
  ["https://other.example/hats", undefined],
])("after the search %j it offers %j", (search, offered) => {
  expect(suggest({ search }).did_you_mean?.search).toBe(offered);
});

test.each<[Partial<ShowQuery>, string | undefined]>([
  [{ genre: "Comedy", yes: "none", page: 3 }, "yes=none&genre=Comedy"],
  [{ interaction: ["no"] }, "interaction=no"],
  [{ interaction: ["yes"] }, ""],
  [{ genre: "Music" }, ""],
])("the filters %j stay only where they keep a show", (filters, kept) => {
  const { did_you_mean } = suggest({ search: "gary starr", ...filters });
  expect(did_you_mean?.query).toBe(["search=Garry+Starr", kept].filter(Boolean).join("&"));
  expect(suggest({ search: "garry starr", ...filters }).did_you_mean).toBeUndefined();
});
