import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import type { Schema } from "../../database/schema.server.ts";
import { findNotes } from "../store/reviews-table.server.ts";

/** The size of the cache in characters: the notes of a few thousand shows. */
const MAX_SIZE = 16_000_000;

/** The size of an entry without its text. */
const OVERHEAD = 200;

export type NotesCache = ReturnType<typeof createNotesCache>;

/** Creates a cache of the notes of shows, read from the database on a miss. Concurrent misses share one read. */
export function createNotesCache(db: Kysely<Schema>) {
  const cache = new LRUCache<string, string>({
    maxSize: MAX_SIZE,
    sizeCalculation: (text) => text.length + OVERHEAD,
  });
  /** Reads in flight, by show. An invalidation drops them, so that their stale results are not cached. */
  const inFlight = new Map<string, Promise<string>>();
  let version = 0;

  function read(showIds: readonly string[]): void {
    const result = findNotes(db, showIds);
    for (const id of showIds) {
      const text = result.then((notes) => JSON.stringify(notes.get(id)));
      inFlight.set(id, text);
      const isCurrent = () => inFlight.get(id) === text && inFlight.delete(id);
      text.then((json) => isCurrent() && cache.set(id, json), isCurrent);
    }
  }

  return {
    /** The notes of each show, as JSON. Rejects when a miss cannot be read from the database. */
    async get(showIds: readonly string[]): Promise<Map<string, string>> {
      const missing = showIds.filter((id) => !cache.has(id) && !inFlight.has(id));
      if (missing.length > 0) read(missing);
      const texts = await Promise.all(showIds.map((id) => cache.get(id) ?? inFlight.get(id) ?? ""));
      return new Map(showIds.map((id, index) => [id, texts[index] ?? ""]));
    },
    version: () => version,
    /** Removes one show, whose reviews have changed. */
    invalidate(showId: string): void {
      version++;
      cache.delete(showId);
      inFlight.delete(showId);
    },
    /** Removes all shows: any of them may have changed. */
    invalidateAll(): void {
      version++;
      cache.clear();
      inFlight.clear();
    },
  };
}
