import type { RevisedTallies } from "../domain/review.ts";
import { type ShowPage, showPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { buildShowList } from "./build-show-list.server.ts";
import { noShows } from "./listed-shows.server.ts";
import { createShowList, type ShowList } from "./show-list.server.ts";
import type { FoundPage } from "./show-page.server.ts";
import type { ShowSource } from "./show-source.server.ts";
import { createShowTallies } from "./show-tallies.server.ts";
import { createShowTexts, type ShowTexts } from "./show-texts.server.ts";

/**
 * The programme in memory: every listed show with its tallies, in order, ready to be searched, filtered and paged without
 * the database.
 */
export interface Catalogue {
  /** One page of the list. While tallies are unknown it is the page of shows alone. */
  find(query: ShowQuery): FoundPage;
  /** The specification's fallback: shows alone, by title, without `reviews` and whatever the chosen answers. */
  findAlone(query: ShowQuery): FoundPage;
  /** The page that `find` finds, to be rendered. */
  list(query: ShowQuery): ShowPage;
  /**
   * Puts a whole programme in place, in one step when all of it is there; until then the earlier one answers. Rejects, and changes
   * nothing, when the source does.
   */
  replace(source: ShowSource): Promise<void>;
  /**
   * Puts new tallies of one show in place, also of a programme that is on its way. Answers whether they are news: not of a show that is not
   * listed, and not when they are as old as those that are there, or older.
   */
  updateTallies(showId: string, tallies: RevisedTallies): boolean;
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
  const texts = createShowTexts();
  let list = emptyList(texts);
  let state = { loaded: false, talliesKnown: false, readAt: 0, version: 0 };
  /** For each programme that is on its way, the tallies that come meanwhile: what it was read with may be older. */
  const late = new Set<Map<string, RevisedTallies>>();
  let replacing = Promise.resolve();

  const find = (query: ShowQuery) => (state.talliesKnown ? list.find(query) : list.findAlone(query));

  async function putInPlace(source: ShowSource, changed: Map<string, RevisedTallies>): Promise<void> {
    try {
      const next = await buildShowList(source, texts, list.shows);
      for (const [showId, tallies] of changed) next.setTallies(showId, tallies);
      list = next;
      state = {
        loaded: true,
        talliesKnown: source.tallies !== undefined,
        readAt: Date.now(),
        version: state.version + 1,
      };
    } finally {
      late.delete(changed);
      await texts.keepOnly(list.shows.addresses);
    }
  }

  return {
    find,
    findAlone: (query) => list.findAlone(query),
    list: (query) => showPage.parse(JSON.parse(Buffer.concat(find(query).pieces()).toString())),
    replace(source) {
      const changed = new Map<string, RevisedTallies>();
      late.add(changed);
      const replaced = replacing.then(() => putInPlace(source, changed));
      replacing = replaced.catch(() => {});
      return replaced;
    },
    updateTallies(showId, tallies) {
      for (const changed of late) if (isNewer(tallies, changed.get(showId))) changed.set(showId, tallies);
      const isNews = list.setTallies(showId, tallies);
      if (isNews) state.version++;
      return isNews;
    },
    has: (showId) => list.shows.ids.numberOf(showId) !== undefined,
    state: () => ({ ...state, shows: list.shows.ids.size }),
  };
}

function isNewer(tallies: RevisedTallies, than: RevisedTallies | undefined): boolean {
  return than === undefined || tallies.revision > than.revision;
}

function emptyList(texts: ShowTexts): ShowList {
  return createShowList({ shows: noShows, texts, tallies: createShowTallies(0), order: noShows.byTitle });
}
