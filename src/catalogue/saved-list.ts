import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import type { SavedShows, SavedTallies } from "../domain/saved-list-dto.ts";
import type { Show, ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { createListSearch, type ListEntry, noReviews, withTotal } from "./list-search.ts";
import { searchSpellingKey, spellingKey } from "./search-folding.ts";
import { createSearchTexts, searchableText } from "./search-texts.ts";

interface Entry extends ListEntry {
  show: Show;
  reviews: Tallies;
}

/** In UTF-16 code units. */
export const MIN_ID_START = 6;

/** The list as it was saved. Without tallies it has shows alone, as the server's (docs/product.md §8.3). */
export function openSavedList(shows: SavedShows, tallies: SavedTallies | null) {
  const byTitle = shows.id.map((_, rank): Entry => {
    return { rank, position: rank, show: showAt(shows, rank), reviews: noReviews };
  });
  const texts = createSearchTexts();
  const spellingKeys = byTitle.map(({ show }) => spellingKey(texts.add(searchableText(show))));
  // Comparing all spellings of each text in full would take a phone ten times as long.
  const candidatesOf = (wanted: string) => {
    const key = searchSpellingKey(wanted);
    return [...spellingKeys.keys()].filter((rank) => spellingKeys[rank]?.includes(key));
  };
  const { select } = createListSearch({ byTitle, find: (search) => texts.find(search, candidatesOf) });
  const order = tallies && orderByTallies(byTitle, tallies);
  return {
    find(query: ShowQuery): ShowPage {
      const { shown, ...found } = select(query, order);
      const listed = shown.map(({ show, reviews }) =>
        order ? { ...show, reviews: withTotal(reviews) } : show,
      );
      return { year: YEAR, page_size: PAGE_SIZE, ...found, shows: listed };
    },
  };
}

/** Columns of equal length: the server has made them from shows. */
function showAt(shows: SavedShows, rank: number): Show {
  const { id, title, website, artist, venue_name, genre, description, status, announced } = shows;
  return {
    id: id[rank] ?? "",
    title: title[rank] ?? "",
    website: website[rank] ?? null,
    artist: artist[rank] ?? null,
    venue_name: venue_name[rank] ?? null,
    genre: genre[rank] ?? null,
    description: description[rank] ?? null,
    year: shows.year,
    status: status[rank] ?? "active",
    announced: announced[rank] ?? "unknown",
  };
}

/**
 * Sets the tallies of the entries. Returns the order of the list: reviewed shows as in the tallies, then the rest
 * by title. Ignores shows that are not in the list: the tallies may be newer.
 */
function orderByTallies(byTitle: readonly Entry[], tallies: SavedTallies): readonly Entry[] {
  const byStart = new Map<string, Entry[]>();
  for (const entry of byTitle) {
    const start = entry.show.id.slice(0, MIN_ID_START);
    const same = byStart.get(start);
    if (same) same.push(entry);
    else byStart.set(start, [entry]);
  }
  const reviewed = new Set<Entry>();
  for (const [index, start] of tallies.id_start.entries()) {
    const similar = byStart.get(start.slice(0, MIN_ID_START)) ?? [];
    const entry =
      similar.find(({ show }) => show.id === start) ?? similar.find(({ show }) => show.id.startsWith(start));
    if (!entry) continue;
    const { no, very_little, yes, latest_on } = tallies;
    entry.reviews = {
      no: no[index] ?? 0,
      very_little: very_little[index] ?? 0,
      yes: yes[index] ?? 0,
      latest_at: `${latest_on[index]}T00:00:00.000Z`,
      // Any tallies that the page has got otherwise are newer, or as new.
      revision: 0,
    };
    reviewed.add(entry);
  }
  const order = [...reviewed, ...byTitle.filter((entry) => !reviewed.has(entry))];
  for (const [position, entry] of order.entries()) entry.position = position;
  return order;
}
