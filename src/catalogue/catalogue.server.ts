import type { Tallies } from "../domain/review.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { buildShowList, createEmptyList } from "./list.server.ts";
import type { Snapshot } from "./snapshot-queries.server.ts";

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * The read model: all listed shows and their tallies in memory. While tallies are unknown, `find` returns
 * shows alone.
 */
export function createCatalogue() {
  let list = createEmptyList();
  let state = {
    loaded: false,
    talliesKnown: false,
    /** When a snapshot was last swapped in, in ms since 1970; 0 for never. */
    readAt: 0,
    /** Grows with every change of the results of `find`. */
    version: 0,
  };
  /** Updates that arrive while a snapshot is read, which may be older. */
  let lateUpdates: Map<string, Tallies> | null = null;

  return {
    find: (query: ShowQuery) => list.find(query, !state.talliesKnown),
    findAlone: (query: ShowQuery) => list.find(query, true),
    /**
     * Reads a snapshot and swaps it in. Rejects, and changes nothing, when `read` rejects or another snapshot
     * is being read: an older one must not replace a newer one.
     */
    async replace(read: () => Promise<Snapshot>): Promise<void> {
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
    /** Returns whether the list changed: the show is listed and the revision newer. */
    updateTallies(showId: string, tallies: Tallies): boolean {
      const late = lateUpdates?.get(showId);
      if (!late || tallies.revision > late.revision) lateUpdates?.set(showId, tallies);
      const isChanged = list.setTallies(showId, tallies);
      if (isChanged) state.version++;
      return isChanged;
    },
    has: (showId: string) => list.has(showId),
    get: (showId: string) => list.get(showId),
    /** The title of a stored show that is not in the list. */
    unlistedTitle: (showId: string) => list.unlistedTitle(showId),
    shows: () => list.shows(),
    reviewed: () => list.reviewed(),
    idStart: (showId: string) => list.idStart(showId),
    state: () => ({ ...state, shows: list.size }),
  };
}
