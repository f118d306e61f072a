import fc from "fast-check";
import { expect, test } from "vitest";
import { bareShow, noTallies as none, snapshotOf } from "../../tests/support/snapshot.ts";
import { declarations } from "../domain/declared.ts";
import { YEAR } from "../domain/programme.ts";
import { interactions, reviewCount, type Tallies } from "../domain/review.ts";
import { isoDay } from "../domain/review-day.ts";
import type { ListedShow } from "../domain/show.ts";
import { cleanSearch, type ShowQuery } from "../domain/show-query.ts";
import { type Catalogue, createCatalogue } from "./catalogue.server.ts";
import { openSavedList } from "./offline-search.ts";
import { packShows, packTallies } from "./pack-shows.server.ts";

const word = fc.constantFrom(
  ..."Café cats CATS_9 cats_10 “İz” straße ﬁn Smørre\u00adbrød \u00a0&\u200b Σας 🎭 - ` e\u0301"
    .replaceAll("_", " ")
    .split(" "),
);
const words = (maxLength: number) =>
  fc.array(word, { minLength: 1, maxLength }).map((parts) => parts.join(" "));
const tallies = fc
  .record({ no: fc.nat(6), very_little: fc.nat(1), yes: fc.nat(1), minute: fc.nat(30) })
  .map(({ minute, ...counts }): Listed => {
    const total = reviewCount(counts);
    return {
      ...counts,
      revision: 0,
      latest_at: total > 0 ? new Date(Date.UTC(YEAR, 7, 1, 22, 45 + minute)).toISOString() : null,
      total,
      few: total < 5,
    };
  });

/** Few distinct titles, so that many are equal. Enough shows to fill several chunks of the index. */
const programmes = fc
  .record({ size: fc.constantFrom(0, 1, 21, 700), kinds: fc.array(fc.tuple(words(3), fc.option(words(2)), fc.option(words(1)), tallies), { minLength: 1, maxLength: 40 }) })
  .map(({ size, kinds }) => Array.from({ length: size }, (_, number): ListedShow => {
    const [title, artist, venue_name, reviews] = kinds[(number * number) % kinds.length] ?? kinds[0] ?? ["", null, null, none];
    return { ...bareShow(`show-${(number * 7) % 1000}-${number}`), title, artist, venue_name, announced: declarations[title.length % 3] ?? "unknown", warnings: title.split(" ").slice(1), reviews };
  })); // biome-ignore format: a table
type Listed = NonNullable<ListedShow["reviews"]>;

const searches = fc.oneof(
  fc.constant(""),
  words(3),
  words(2).map((text) => text.slice(1, 3)),
  words(1).map((text) => text.slice(-1)),
  words(3).map((text) => text.slice(2, 9)),
);
const query = fc.record({ search: searches.map(cleanSearch), interaction: fc.subarray([...interactions]), declared: fc.constantFrom(undefined, undefined, ...declarations), yes: fc.constantFrom(undefined, "none" as const), page: fc.constantFrom(1, 2, 17, 35, 99) }); // biome-ignore format: a table
const queries = fc.array(query, { minLength: 5, maxLength: 15 });
const changes = fc.array(fc.tuple(fc.nat(699), tallies), { maxLength: 60 });

async function catalogueOf(shows: readonly ListedShow[]): Promise<Catalogue> {
  const catalogue = createCatalogue();
  await catalogue.replace(snapshotOf(shows));
  return catalogue;
}

/** What a browser saves. */
const pack = (catalogue: Catalogue) =>
  [packShows(catalogue.shows()), packTallies(catalogue.reviewed(), catalogue.idStart)] as const;

test("after updates of tallies any page equals that of a new snapshot, earlier ones stay, and so does their JSON", async () => {
  await fc.assert(
    fc.asyncProperty(programmes, changes, queries, async (shows, changed, generated) => {
      const catalogue = await catalogueOf(shows);
      const found = generated.map((query) => catalogue.find(query));
      const current = [...shows];
      for (const [index, [number, reviews]] of changed.entries()) {
        const show = current[number];
        if (!show) continue;
        const revised = { ...reviews, revision: index + 1 };
        current[number] = { ...show, reviews: revised };
        expect(catalogue.updateTallies(show.id, revised)).toBe(true);
      }
      const reloaded = await catalogueOf(current);
      for (const query of generated) {
        const updated = catalogue.find(query);
        expect(updated.page).toEqual(reloaded.find(query).page);
        found.push(updated, catalogue.findAlone(query));
      }
      for (const { page, json } of found) expect(JSON.parse(json)).toEqual(page);
    }),
    { numRuns: 20 },
  );
});

test("the saved list finds the same shows in the same order, for 10,000 queries", async () => {
  const many = fc.array(query, { minLength: 500, maxLength: 500 });
  const numbers = fc.array(fc.nat(999), { maxLength: 9 });
  let reviewed = 0;
  await fc.assert(
    fc.asyncProperty(programmes, numbers, many, async (shows, gone, generated) => {
      const catalogue = createCatalogue();
      const unlisted = gone.map((number) => ({ id: `show-${number}-x`, title: "Gone" }));
      await catalogue.replace(async () => ({ ...(await snapshotOf(shows)()), unlisted }));
      const sent = pack(catalogue);
      const [texts, reviews]: typeof sent = JSON.parse(JSON.stringify(sent));
      const saved = openSavedList(texts, reviews);
      const alone = openSavedList(texts, null);
      const single = { ...first, show: shows.at(-1)?.id ?? "none" };
      for (const query of [...generated, single]) {
        const { page } = catalogue.find(query);
        expect(saved.find(query)).toEqual({ ...page, short_id: undefined, shows: page.shows.map(asSaved) });
        reviewed += page.shows.length;
      }
      for (const query of generated.slice(0, 50))
        expect(alone.find(query)).toEqual(catalogue.findAlone(query).page);
    }),
    { numRuns: 20 },
  );
  expect(reviewed).toBeGreaterThan(1_000);
});

test("tallies that are newer than the saved ones count for its filters and its order, too", async () => {
  await fc.assert(
    fc.asyncProperty(programmes, changes, queries, async (shows, changed, generated) => {
      const catalogue = await catalogueOf(shows);
      const saved = openSavedList(...pack(catalogue));
      const newer = new Set<string>();
      const setTallies = (id: string, tallies: Tallies) => {
        catalogue.updateTallies(id, tallies);
        saved.setTallies(id, tallies);
        newer.add(id);
      };
      // Unchanged shows keep their position, although their time is exact now.
      for (const { id, reviews = none } of shows.slice(0, 30)) setTallies(id, { ...reviews, revision: 1 });
      for (const [index, [number, reviews]] of changed.entries()) {
        const { id } = shows[number] ?? {};
        // Reviews that come after saving are newer than all that were saved.
        const latest_at = reviews.latest_at?.replace("-08-01", "-08-03") ?? null;
        if (id !== undefined) setTallies(id, { ...reviews, latest_at, revision: index + 2 });
      }
      for (const query of generated) {
        const { page } = catalogue.find(query);
        const expected = page.shows.map((show) => (newer.has(show.id) ? show : asSaved(show)));
        expect(saved.find(query)).toEqual({ ...page, shows: expected });
      }
    }),
    { numRuns: 20 },
  );
});

/** The saved list has tallies without a revision, and only the day (in Edinburgh) of the newest review. */
function asSaved({ reviews, ...show }: ListedShow): ListedShow {
  const latest_at = reviews?.latest_at ? `${isoDay(reviews.latest_at)}T00:00:00.000Z` : null;
  return reviews ? { ...show, reviews: { ...reviews, latest_at, revision: 0 } } : show;
}

const first: ShowQuery = { search: "", interaction: [], page: 1 };
const show = (id: string, reviews: Listed = none): ListedShow => ({
  ...bareShow(id),
  artist: "Newts",
  venue_name: "Attic",
  description: "“Quoted”\n",
  reviews,
});
const tallyAt = (minute: number): Listed => ({
  ...none,
  revision: minute,
  total: 1,
  yes: 1,
  latest_at: new Date(Date.UTC(YEAR, 7, 1, 0, minute)).toISOString(),
});

test("the old snapshot is served until the next is complete; updates meanwhile are shown, and stay", async () => {
  const catalogue = await catalogueOf([show("1"), show("2")]);
  const { promise: rest, resolve: sendRest } = Promise.withResolvers<void>();
  const replaced = catalogue.replace(async () => {
    const snapshot = await snapshotOf([show("2"), show("3"), show("4")])();
    await rest;
    return snapshot;
  });
  catalogue.updateTallies("2", tallyAt(1));
  catalogue.updateTallies("4", tallyAt(2));
  const ids = () => catalogue.find(first).page.shows.map(({ id }) => id);
  expect(ids()).toEqual(["2", "1"]);
  sendRest();
  await replaced;
  expect(ids()).toEqual(["4", "2", "3"]);
  expect(catalogue.find(first).page.shows.map(({ reviews }) => reviews?.yes)).toEqual([1, 1, 0]);
});

test("the greatest revision of a show's tallies wins, in any order of updates", async () => {
  const updates = fc.array(fc.record({ revision: fc.integer({ min: 1, max: 6 }), isBefore: fc.boolean() }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(updates, fc.nat(6), async (changes, snapshotRevision) => {
      const catalogue = await catalogueOf([show("1")]);
      const apply = (isBefore: boolean) => {
        for (const change of changes.filter((update) => update.isBefore === isBefore)) {
          const { revision } = change;
          catalogue.updateTallies("1", { ...none, yes: revision, revision });
        }
      };
      apply(true);
      const { promise: released, resolve: send } = Promise.withResolvers<void>();
      const replaced = catalogue.replace(async () => {
        await released;
        return snapshotOf([
          { ...show("1"), reviews: { ...none, yes: snapshotRevision, revision: snapshotRevision } },
        ])();
      });
      apply(false);
      send();
      await replaced;
      const later = changes.filter(({ isBefore }) => !isBefore).map(({ revision }) => revision);
      expect(catalogue.find(first).page.shows[0]?.reviews?.yes).toBe(Math.max(snapshotRevision, ...later));
    }),
  );
});

test("a card has last year's reviews of the show with its name, if there is only one such show", async () => {
  const of = (id: string, year: number, reviews: Listed) => ({ ...show(id, reviews), title: "Café!", year });
  const past = YEAR - 1;
  const catalogue = await catalogueOf([
    { ...show("1"), title: "cafe", artist: "newts" },
    of("2", past, tallyAt(1)),
    of("3", past, none),
    of("4", past - 1, tallyAt(1)),
    { ...of("5", past, tallyAt(1)), artist: null },
  ]);
  const lastYear = () => catalogue.find(first).page.shows.map(({ last_year }) => last_year);
  expect(lastYear()).toEqual([{ no: 0, very_little: 0, yes: 1 }]);
  const hashes = new Set([catalogue.find(first).hash]);
  for (const [id, reviews, expected] of [
    ["2", { ...tallyAt(2), no: 1 }, { no: 1, very_little: 0, yes: 1 }],
    ["3", tallyAt(1), undefined],
    ["2", { ...none, revision: 3 }, { no: 0, very_little: 0, yes: 1 }],
    ["3", { ...none, revision: 3 }, undefined],
  ] as const) {
    const { version } = catalogue.state();
    expect(catalogue.updateTallies(id, reviews)).toBe(true);
    expect(catalogue.state().version).toBe(version + 1);
    expect(lastYear()).toEqual([expected]);
    hashes.add(catalogue.find(first).hash);
  }
  expect(hashes.size).toBe(3);
  expect(catalogue.findAlone(first).page.shows[0]).not.toHaveProperty("last_year");
  expect(catalogue.shows().map(({ id }) => id)).toEqual(["1"]);
});

test("listed shows with the same title and artist, as people read them, are marked, also in the saved list", async () => {
  const named = (id: string, title: string, artist: string | null, year = YEAR) => {
    return { ...show(id), title, artist, year };
  };
  const twins = [
    ...[named("a1", "Café!", "The Newts"), named("a2", "cafe", "the newts"), named("a3", "CAFÉ", "Toads")],
    ...[named("b1", "Tea", null), named("b2", "Tea", null), named("b3", "Tea", "Toads")],
    ...[named("b4", "Teas", null), named("d", "Alone", "Newts")],
    ...[named("c1", "Ωmega – 2", "Zoë"), named("c2", "ωmega 2", "ZOE")],
  ];
  const catalogue = await catalogueOf([...twins, named("old", "Alone", "Newts", YEAR - 1)]);
  const saved = openSavedList(...pack(catalogue));
  for (const { shows } of [catalogue.find(first).page, catalogue.findAlone(first).page, saved.find(first)]) {
    const marked = shows.filter(({ has_namesake }) => has_namesake);
    expect(marked.map(({ id }) => id).sort()).toEqual("a1 a2 b1 b2 c1 c2".split(" "));
  }
  expect(catalogue.get("old")?.show).not.toHaveProperty("has_namesake");
});

test("tallies that are old or not of a listed show, and snapshots that fail or overlap, change nothing", async () => {
  const catalogue = await catalogueOf([show("1")]);
  expect(catalogue.updateTallies("1", tallyAt(2))).toBe(true);
  const before = catalogue.state();
  expect(catalogue.updateTallies("1", tallyAt(2))).toBe(false);
  expect(catalogue.updateTallies("1", tallyAt(1))).toBe(false);
  expect(catalogue.updateTallies("2", tallyAt(3))).toBe(false);
  const failed = catalogue.replace(() => Promise.reject(new Error("lost connection")));
  await expect(failed).rejects.toThrow("lost connection");
  expect(catalogue.state()).toEqual(before);
  expect(catalogue.find(first).page.shows).toEqual([show("1", tallyAt(2))]);
  const replaced = catalogue.replace(snapshotOf([show("2")]));
  await expect(catalogue.replace(snapshotOf([show("1")]))).rejects.toThrow("Another snapshot is being read");
  await replaced;
  expect(catalogue.find(first).page.shows).toEqual([show("2")]);
});

test("a page's hash changes with the page, and is equal after a reload and on another instance", async () => {
  const catalogue = createCatalogue();
  const hash = () => catalogue.find(first).hash;
  const seen = new Set<string>();
  const isNew = () => seen.size < seen.add(hash()).size;
  await catalogue.replace(snapshotOf([show("1"), show("2")]));
  expect(isNew()).toBe(true);
  await catalogue.replace(snapshotOf([show("2"), show("1")]));
  expect(isNew()).toBe(false);
  catalogue.updateTallies("1", tallyAt(1));
  expect(isNew()).toBe(true);
  await catalogue.replace(snapshotOf([show("1", tallyAt(1)), { ...show("2"), description: "Other words" }]));
  expect(isNew()).toBe(true);
  await catalogue.replace(snapshotOf([show("1", tallyAt(1))]));
  expect(isNew()).toBe(true);
  expect(catalogue.findAlone(first).hash).not.toBe(hash());
  const another = await catalogueOf([show("1", tallyAt(1))]);
  expect(another.find(first).hash).toBe(hash());
});

const longPath = `https://tickets.example/${"long-".repeat(40)}`;
const websites = {
  hats: "http://www.Tickets.example/hats/",
  year: "https://tickets.example/hats?utm_source=a&year=2",
  long: longPath,
};

test.each([
  ["https://tickets.example/hats", "hats"],
  ["tickets.example/hats?utm_medium=x&gclid=1#map", "hats"],
  ["Hats – www.tickets.example/hats.", "hats"],
  [`${"Come and see Hats! ".repeat(9)}https://tickets.example/hats?utm_campaign=${"x".repeat(99)}`, "hats"],
  ["HTTPS://TICKETS.EXAMPLE/hats?fbclid=1&year=2", "year"],
  [longPath, "long"],
  ["https://tickets.example/hat", ""],
  ["https://tickets.example/hats/more", ""],
  ["https://tickets.example/Hats", ""],
  ["https://tickets.example/hats?_gallery=1", ""],
  ["https://other.example/hats", ""],
  ["https://tickets.example:99999/hats", ""],
  ["https://", ""],
])("%.60s finds the show with that ticket page (docs/product.md §2.24): %s", async (text, found) => {
  const ids = Object.entries(websites).map(([id, website]) => ({ ...bareShow(id), website }));
  const catalogue = await catalogueOf(ids);
  const asked = { ...first, search: cleanSearch(text) };
  const pages = [catalogue.find(asked).page, openSavedList(...pack(catalogue)).find(asked)];
  for (const { shows } of pages) expect(shows.map(({ id }) => id).join()).toBe(found);
});

test.each([
  ["abcdefgh", "abcdefgh-1"],
  ["ABCDEFGH-", "abcdefgh-1"],
  ["twin-sister", "twin-sister"],
  ["twin-sister-o", "twin-sister-of"],
  ["abcdefg", ""],
  ["twin-sist", ""],
  ["abcdefgh-12", ""],
])("as an id, %s leads to %j, also in a saved list (docs/product.md §2.25)", async (start, id) => {
  const catalogue = await catalogueOf(["abcdefgh-1", "twin-sister", "twin-sister-of", "zz"].map(bareShow));
  const asked = { ...first, show: start };
  const pages = [catalogue.find(asked).page, openSavedList(...pack(catalogue)).find(asked)];
  for (const { shows } of pages) expect(shows.map((show) => show.id).join()).toBe(id);
});
