import { type SavedShows, type SavedTallies, savedColumns } from "../domain/offline-dto.ts";
import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import { isoDay } from "../domain/review-day.ts";
import type { Show, ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { noTallies } from "../domain/tallies-dto.ts";
import {
  createListSearch,
  type ListEntry,
  moveEntry,
  namesakeMark,
  setPositions,
  withTotal,
} from "./list-search.ts";
import { searchSpellingKey, spellingKey } from "./search-folding.ts";
import { createSearchTexts, searchableText } from "./search-texts.ts";

interface Entry extends ListEntry {
  show: Show;
}

/** Without tallies, it has shows alone, as the server's list (docs/product.md §8.3). */
export function openSavedList(shows: SavedShows, tallies: SavedTallies | null) {
  const byTitle = shows.id.map((_, rank): Entry => {
    return { rank, position: rank, show: showAt(shows, rank), reviews: noTallies };
  });
  const texts = createSearchTexts();
  const spellingKeys = byTitle.map(({ show }) => spellingKey(texts.add(searchableText(show))));
  const scan = createScan(spellingKeys);
  // Comparing all spellings of every text would take ten times as long on a phone.
  const candidatesOf = (wanted: string) => scan(searchSpellingKey(wanted));
  const find = (search: string) => texts.find(search, candidatesOf);
  const { foldedFields } = texts;
  const { get, getByStart, select } = createListSearch({ byTitle, find, withTrigram: scan, foldedFields });
  const order = tallies && orderByTallies(byTitle, tallies, (start) => getByStart(start, 0));
  return {
    find(query: ShowQuery): ShowPage {
      const { shown, ...found } = select(query, order);
      const listed = shown.map((entry) => ({
        ...entry.show,
        ...namesakeMark(byTitle, entry),
        ...(order && { reviews: withTotal(entry.reviews) }),
      }));
      return { year: YEAR, page_size: PAGE_SIZE, ...found, shows: listed };
    },
    /** Sets newer tallies than the saved ones. */
    setTallies(showId: string, tallies: Tallies): void {
      const entry = get(showId);
      if (!order || !entry || tallies.revision <= entry.reviews.revision) return;
      const isChanged = factsOf(tallies) !== factsOf(entry.reviews);
      entry.reviews = tallies;
      // The saved order knows only days. The exact time would move an entry with equal tallies to the front of its day.
      if (isChanged) moveEntry(order, entry);
    },
  };
}

/** The saved part of tallies, to compare. */
function factsOf({ no, very_little, yes, latest_at }: Tallies): string {
  return [no, very_little, yes, latest_at && isoDay(latest_at)].join();
}

/** The server made all columns equally long. */
function showAt(shows: SavedShows, rank: number): Show {
  const show: Partial<Record<keyof Show, unknown>> = { year: shows.year };
  for (const name of savedColumns) show[name] = shows[name][rank];
  show.warnings = shows.warnings[rank]?.map((index) => shows.phrases[index]);
  return show as Show;
}

/**
 * Sets the tallies of the entries. Returns their order: reviewed shows as in the tallies, then others by title.
 * Ignores unknown shows, because the tallies may be newer than the list.
 */
function orderByTallies(
  byTitle: readonly Entry[],
  tallies: SavedTallies,
  entryAt: (start: string) => Entry | undefined,
): Entry[] {
  const reviewed = new Set<Entry>();
  for (const [index, start] of tallies.id_start.entries()) {
    const entry = entryAt(start);
    if (!entry) continue;
    const { no, very_little, yes, latest_on } = tallies;
    entry.reviews = {
      no: no[index] ?? 0,
      very_little: very_little[index] ?? 0,
      yes: yes[index] ?? 0,
      latest_at: `${latest_on[index]}T00:00:00.000Z`,
      // Tallies that the page got in another way are at least as new.
      revision: 0,
    };
    reviewed.add(entry);
  }
  const order = [...reviewed, ...byTitle.filter((entry) => !reviewed.has(entry))];
  setPositions(order);
  return order;
}

/** Searches one joined string by native code: a loop over the texts would take 10 ms on a phone. */
function createScan(texts: readonly string[]): (wanted: string) => number[] {
  const all = texts.join("\n");
  let end = -1;
  const ends = texts.map((text) => {
    end += text.length + 1;
    return end;
  });
  return (wanted) => {
    const found: number[] = [];
    let index = 0;
    for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, (ends[index++] ?? 0) + 1)) {
      while (index < ends.length && (ends[index] ?? 0) < at) index++;
      if (index === ends.length) break;
      found.push(index);
    }
    return found;
  };
}
