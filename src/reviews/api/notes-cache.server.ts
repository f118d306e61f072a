import { LRUCache } from "lru-cache";
import type { Db } from "../../database/schema.server.ts";
import { findNotes, findNotesPage, type NotesQuery } from "../store/visible-notes.server.ts";

/** In characters: the notes of a few thousand shows. */
const MAX_SIZE = 16_000_000;

/** The size of an entry without its text, in characters. */
const OVERHEAD = 200;

export type NotesCache = ReturnType<typeof createNotesCache>;

/** Caches the newest notes of shows. Concurrent misses share one read. */
export function createNotesCache(db: Db) {
  const cache = new LRUCache<string, Promise<string>>({ maxSize: MAX_SIZE });
  let version = 0;

  /** An invalidation drops a read in flight, so that its stale result is not cached. */
  function keep(id: string, reading: Promise<string>): void {
    cache.set(id, reading, { size: OVERHEAD });
    const isCurrent = () => cache.peek(id) === reading;
    reading.then(
      // Another promise: for the same value, the cache would keep the size.
      (text) => {
        if (isCurrent()) cache.set(id, Promise.resolve(text), { size: OVERHEAD + text.length });
      },
      () => {
        if (isCurrent()) cache.delete(id);
      },
    );
  }

  function read(showIds: readonly string[]): void {
    const result = findNotes(db, showIds);
    const textOf = async (id: string) => JSON.stringify((await result).get(id));
    for (const id of showIds) keep(id, textOf(id));
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
