import type { Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import type { Schema } from "../../database/schema.server.ts";
import { findNotes } from "./reviews-table.server.ts";

/** How much of what is written is kept, in characters: a few thousand shows, those that are looked at on a busy day as well. */
const KEPT = 16_000_000;

/** What a show takes beside its text. */
const OVERHEAD = 200;

/** What is written of shows: read from the database once, and again when it has changed. */
export interface Notes {
  /** What is written of each show, as JSON. Rejects when it has to be read and cannot. */
  of(showIds: readonly string[]): Promise<Map<string, string>>;
  /** Grows with every change of what they may say. */
  version(): number;
  /** A show's reviews have changed. */
  forget(showId: string): void;
  /** Any show's reviews may have changed. */
  forgetAll(): void;
}

export function createNotes(db: Kysely<Schema>): Notes {
  const kept = new LRUCache<string, string>({ maxSize: KEPT, sizeCalculation: (text) => text.length + OVERHEAD });
  /** What is being read. A change that is heard of meanwhile throws it away, and the next one reads again. */
  const reading = new Map<string, Promise<string>>();
  let version = 0;

  function read(showIds: readonly string[]): void {
    const found = findNotes(db, showIds);
    for (const id of showIds) {
      const text = found.then((notes) => JSON.stringify(notes.get(id)));
      reading.set(id, text);
      const isCurrent = () => reading.get(id) === text && reading.delete(id);
      text.then((json) => isCurrent() && kept.set(id, json), isCurrent);
    }
  }

  return {
    async of(showIds) {
      const missing = showIds.filter((id) => !kept.has(id) && !reading.has(id));
      if (missing.length > 0) read(missing);
      const texts = await Promise.all(showIds.map((id) => kept.get(id) ?? reading.get(id) ?? ""));
      return new Map(showIds.map((id, index) => [id, texts[index] ?? ""]));
    },
    version: () => version,
    forget(showId) {
      version++;
      kept.delete(showId);
      reading.delete(showId);
    },
    forgetAll() {
      version++;
      kept.clear();
      reading.clear();
    },
  };
}
