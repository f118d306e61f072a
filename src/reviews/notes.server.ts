import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import type { Schema } from "../database/schema.server.ts";
import { findNotes, type ShowNotes } from "./review-queries.server.ts";

/** How many shows' notes are kept, each a few KB: those that are looked at, on a busy day as well. */
const KEPT_SHOWS = 2_000;

/** What is written of shows: read from the database once, and again when it has changed. */
export interface Notes {
  /** What is written of each show. Rejects when it has to be read and cannot. */
  of(showIds: readonly string[]): Promise<Map<string, ShowNotes>>;
  /** Grows with every change of what they may say. */
  version(): number;
  /** A show's reviews have changed. */
  forget(showId: string): void;
  /** Any show's reviews may have changed. */
  forgetAll(): void;
}

export function createNotes(db: Kysely<Schema>): Notes {
  // Kept as promises: a change that is heard of while they are read throws them away, and the next one reads again.
  const kept = new LRUCache<string, Promise<ShowNotes>>({ max: KEPT_SHOWS });
  let version = 0;

  function read(showIds: readonly string[]): void {
    const reading = findNotes(db, showIds);
    for (const id of showIds) {
      const notes = reading.then((found) => found.get(id) ?? Promise.reject(new Error("Notes were not found")));
      kept.set(id, notes);
      notes.catch(() => kept.peek(id) === notes && kept.delete(id));
    }
  }

  return {
    async of(showIds) {
      const missing = showIds.filter((id) => !kept.has(id));
      if (missing.length > 0) read(missing);
      const notes = showIds.map(async (id): Promise<[string, ShowNotes] | null> => {
        const found = await kept.get(id);
        return found ? [id, found] : null;
      });
      return new Map((await Promise.all(notes)).filter((entry) => entry !== null));
    },
    version: () => version,
    forget(showId) {
      version++;
      kept.delete(showId);
    },
    forgetAll() {
      version++;
      kept.clear();
    },
  };
}
