import { type Answer, answers, reviewCount, type Tallies } from "../reviews/review.ts";
import { fold } from "./fold.ts";
import type { ShowQuery } from "./query.ts";
import { type ListedShow, PAGE_SIZE, type Show, type ShowPage, YEAR } from "./show.ts";
import { byTitle } from "./title-order.ts";

/** A show in the read model. */
interface Entry {
  show: ListedShow;
  /** Title, artist and venue, folded, with a character between them that no text holds. */
  searchText: string;
  /** Place in the order by title. */
  rank: number;
  /** When the newest review was written, in ms since 1970; 0 without reviews. */
  latest: number;
  /** A bit for each answer that a review gave. */
  given: number;
}

const bit: Record<Answer, number> = { no: 1, very_little: 2, yes: 4 };
const noReviews: Tallies = Object.freeze({ no: 0, very_little: 0, yes: 0, latest_at: null });
const fieldSeparator = "\0";

/**
 * The programme in memory: every listed show with its tallies, in order, ready to be searched, filtered and paged without
 * the database.
 */
export interface Catalogue {
  /** One page of the list. While tallies are unknown it is the page of shows alone. */
  list(query: ShowQuery): ShowPage;
  /** The specification's fallback: shows alone, by title, without `reviews` and whatever the chosen answers. */
  listAlone(query: ShowQuery): ShowPage;
  /** Puts a whole programme in place. Shows absent from `tallies` have no reviews; `null` means that tallies are unknown. */
  replace(shows: readonly Show[], tallies: ReadonlyMap<string, Tallies> | null): void;
  /** Puts new tallies of one show in place; a show that is not listed is none of the catalogue's business. */
  updateTallies(showId: string, tallies: Tallies): void;
  /** Whether a show is listed. */
  has(showId: string): boolean;
  state(): CatalogueState;
}

export interface CatalogueState {
  loaded: boolean;
  talliesKnown: boolean;
  /** How many shows are listed. */
  shows: number;
  /** When the whole programme was last put in place, in ms since 1970; 0 for never. */
  readAt: number;
  /** Grows with every change of what the catalogue may answer. */
  version: number;
}

export function createCatalogue(): Catalogue {
  let byRank: Entry[] = [];
  let byReview: Entry[] = [];
  let byId = new Map<string, Entry>();
  let loaded = false;
  let talliesKnown = false;
  let readAt = 0;
  let version = 0;

  return {
    list: (query) => (talliesKnown ? page(byReview, query, matcher(query)) : alone(byRank, query)),
    listAlone: (query) => alone(byRank, query),
    replace(shows, tallies) {
      byRank = [...shows].sort(byTitle).map((show, rank) => createEntry(show, rank, tallies));
      byReview = byRank.toSorted(byNewestReview);
      byId = new Map(byRank.map((entry) => [entry.show.id, entry]));
      loaded = true;
      talliesKnown = tallies !== null;
      readAt = Date.now();
      version++;
    },
    updateTallies(showId, tallies) {
      const entry = byId.get(showId);
      if (!entry || !talliesKnown) return;
      byReview.splice(placeOf(entry, byReview), 1);
      setTallies(entry, tallies);
      byReview.splice(placeOf(entry, byReview), 0, entry);
      version++;
    },
    has: (showId) => byId.has(showId),
    state: () => ({ loaded, talliesKnown, shows: byRank.length, readAt, version }),
  };
}

function createEntry(show: Show, rank: number, tallies: ReadonlyMap<string, Tallies> | null): Entry {
  const searchText = [show.title, show.artist ?? "", show.venue_name ?? ""].map(fold).join(fieldSeparator);
  const entry = { show, searchText, rank, latest: 0, given: 0 };
  if (tallies) setTallies(entry, tallies.get(show.id) ?? noReviews);
  return entry;
}

function setTallies(entry: Entry, tallies: Tallies): void {
  entry.show = { ...entry.show, reviews: tallies };
  entry.latest = reviewCount(tallies) > 0 && tallies.latest_at ? Date.parse(tallies.latest_at) : 0;
  entry.given = answerBits(answers.filter((answer) => tallies[answer] > 0));
}

function answerBits(chosen: readonly Answer[]): number {
  return chosen.reduce((bits, answer) => bits | bit[answer], 0);
}

/** The show with the most recent review first, shows without reviews after all that have one, then by title. */
function byNewestReview(a: Entry, b: Entry): number {
  return b.latest - a.latest || a.rank - b.rank;
}

/** Where an entry stands, or would stand, in a list ordered by newest review. */
function placeOf(entry: Entry, ordered: readonly Entry[]): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = ordered[middle];
    if (other && byNewestReview(other, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function matcher({ search, interaction }: Pick<ShowQuery, "search" | "interaction">): (entry: Entry) => boolean {
  const text = fold(search);
  const wanted = answerBits(interaction);
  return (entry) => (wanted === 0 || (entry.given & wanted) !== 0) && entry.searchText.includes(text);
}

function alone(entries: readonly Entry[], query: ShowQuery): ShowPage {
  const found = page(entries, query, matcher({ search: query.search, interaction: [] }));
  return { ...found, shows: found.shows.map(({ reviews: _, ...show }) => show) };
}

/** The asked page of the entries that match, or the last one when the asked one is past the end. */
function page(entries: readonly Entry[], query: ShowQuery, matches: (entry: Entry) => boolean): ShowPage {
  const everything = query.search === "" && query.interaction.length === 0;
  const found = everything ? entries : entries.filter(matches);
  const last = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const number = Math.min(query.page, last);
  const shows = found.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE).map((entry) => entry.show);
  return { year: YEAR, page: number, page_size: PAGE_SIZE, total: found.length, shows };
}
