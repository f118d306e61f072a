import { LRUCache } from "lru-cache";
import type { Db } from "../../database/schema.server.ts";
import { findNotes, findNotesPage, type NotesQuery } from "../store/visible-notes.server.ts";

/** In shows: those that people look at. Even the longest notes take at most 60 MB. */
const MAX_SHOWS = 2_000;

export type NotesCache = ReturnType<typeof createNotesCache>;

/** Caches the newest notes of shows. Concurrent misses share one read. */
export function createNotesCache(db: Db) {
  const cache = new LRUCache<string, Promise<string>>({ max: MAX_SHOWS });
  let version = 0;

  /** An invalidation drops a read in flight: its result may be stale. */
  function read(showIds: readonly string[]): void {
    const result = findNotes(db, showIds);
    for (const id of showIds) {
      const reading = result.then((notes) => JSON.stringify(notes.get(id)));
      cache.set(id, reading);
      reading.catch(() => {
        if (cache.peek(id) === reading) cache.delete(id);
      });
    }
  }

  return {
    /** The notes of each show, as JSON. Rejects if a miss cannot be read from the database. */
    async get(showIds: readonly string[]): Promise<Map<string, string>> {
      const missing = showIds.filter((id) => !cache.has(id));
      if (missing.length > 0) read(missing);
      const texts = await Promise.all(showIds.map((id) => cache.get(id)));
      return new Map(showIds.map((id, index) => [id, texts[index] ?? ""]));
    },
    /** Not cached: anybody can ask for any page. */
    page: (query: NotesQuery) => findNotesPage(db, query),
    version: () => version,
    invalidate(showId: string): void {
      version++;
      cache.delete(showId);
    },
    /** Any show may have changed. */
    invalidateAll(): void {
      version++;
      cache.clear();
    },
  };
}
