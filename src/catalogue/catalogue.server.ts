import type { RevisedTallies } from "../domain/review.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { buildShowList, createEmptyList } from "./list.server.ts";
import type { FoundPage } from "./page-json.server.ts";
import type { Snapshot } from "./snapshot-queries.server.ts";

/** The read model: every listed show with its tallies in memory, to be searched, filtered and paged without the database. */
export interface Catalogue {
  /** One page of the list. While tallies are unknown it is the page of shows alone. */
  find(query: ShowQuery): FoundPage;
  /** The fallback of docs/product.md §8.3: shows alone, by title, without `reviews` and whatever `interaction` asks for. */
  findAlone(query: ShowQuery): FoundPage;
  /** The page that `find` finds. */
  list(query: ShowQuery): ShowPage;
  /**
   * Reads a snapshot and swaps it in. Until then the earlier one answers. One at a time: an older snapshot must not
   * replace a newer one. Rejects, and changes nothing, when `read` does.
   */
  replace(read: () => Promise<Snapshot>): Promise<void>;
  /** Updates the tallies of one show. Returns whether they are news: those of a listed show, and newer than the known ones. */
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
  /** When a snapshot was last swapped in, in ms since 1970; 0 for never. */
  readAt: number;
  /** Grows with every change of what the catalogue may answer. */
  version: number;
}

export function createCatalogue(): Catalogue {
  let list = createEmptyList();
  let state = { loaded: false, talliesKnown: false, readAt: 0, version: 0 };
  /** While a snapshot is read, the updates that come meanwhile: the snapshot may be older. */
  let lateUpdates: Map<string, RevisedTallies> | null = null;

  const find = (query: ShowQuery) => (state.talliesKnown ? list.find(query) : list.findAlone(query));

  return {
    find,
    findAlone: (query) => list.findAlone(query),
    list: (query) => find(query).page,
    async replace(read) {
      if (lateUpdates) throw new Error("Another snapshot is being read. Wait until it has been swapped in.");
      lateUpdates = new Map();
      try {
        const snapshot = await read();
        const next = await buildShowList(snapshot);
        for (const [showId, tallies] of lateUpdates) next.setTallies(showId, tallies);
        list = next;
        const talliesKnown = snapshot.tallies !== null;
        state = { loaded: true, talliesKnown, readAt: Date.now(), version: state.version + 1 };
      } finally {
        lateUpdates = null;
      }
    },
    updateTallies(showId, tallies) {
      const late = lateUpdates?.get(showId);
      if (!late || tallies.revision > late.revision) lateUpdates?.set(showId, tallies);
      const isNews = list.setTallies(showId, tallies);
      if (isNews) state.version++;
      return isNews;
    },
    has: (showId) => list.has(showId),
    state: () => ({ ...state, shows: list.size }),
  };
}
