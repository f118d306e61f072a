import type { Tallies } from "../domain/review.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { createCpuThrottle } from "../lib/cpu-throttle.server.ts";
import { buildShowList, createEmptyList } from "./list.server.ts";
import type { Snapshot } from "./snapshot-queries.server.ts";

export type Catalogue = ReturnType<typeof createCatalogue>;

/** The read model: all listed shows and their tallies. While tallies are unknown, `find` returns shows alone. */
export function createCatalogue() {
  let list = createEmptyList();
  let state = {
    loaded: false,
    talliesKnown: false,
    /** The time of the last swap, in ms since 1970; 0: never. */
    readAt: 0,
    /** Grows when results of `find` change. */
    version: 0,
  };
  /** Updates during the read of a snapshot, which may be older. */
  let lateUpdates: Map<string, Tallies> | null = null;

  return {
    find: (query: ShowQuery) => list.find(query, !state.talliesKnown),
    findAlone: (query: ShowQuery) => list.find(query, true),
    /** Swaps in a snapshot. Reads must not overlap: an older snapshot would replace a newer one. */
    async replace(read: () => Promise<Snapshot>): Promise<void> {
      if (lateUpdates) throw new Error("Another snapshot is being read. Wait until it has been swapped in.");
      lateUpdates = new Map();
      try {
        const snapshot = await read();
        // Until the first list is there, all requests wait for it.
        const throttle = state.loaded ? createCpuThrottle() : createCpuThrottle(1);
        const next = await buildShowList(snapshot, throttle);
        for (const [showId, tallies] of lateUpdates) next.setTallies(showId, tallies);
        list = next;
        const talliesKnown = snapshot.tallies !== null;
        state = { loaded: true, talliesKnown, readAt: Date.now(), version: state.version + 1 };
      } finally {
        lateUpdates = null;
      }
    },
    /** False unless the show has a page and the revision is newer. */
    updateTallies(showId: string, tallies: Tallies): boolean {
      const late = lateUpdates?.get(showId);
      if (!late || tallies.revision > late.revision) lateUpdates?.set(showId, tallies);
      const isChanged = list.setTallies(showId, tallies);
      if (isChanged) state.version++;
      return isChanged;
    },
    has: (showId: string) => list.has(showId),
    get: (showId: string) => list.get(showId),
    wholeId: (start: string) => list.wholeId(start),
    unlistedTitle: (showId: string) => list.unlistedTitle(showId),
    shows: () => list.shows(),
    reviewed: () => list.reviewed(),
    idStart: (showId: string) => list.idStart(showId),
    state: () => ({ ...state, shows: list.size }),
  };
}
