import { hashOf } from "../http/digest.server.ts";

/** Which number the show of an id has. */
export interface ShowIds {
  size: number;
  /** Undefined for an id that is none of these. */
  numberOf(id: string): number | undefined;
  /** The id of a number. */
  at(number: number): string | undefined;
  /** Gives an id the next number. It must not have one. */
  add(id: string): void;
}

/**
 * Numbers ids from 0 on. A table of bare numbers: a `Map` of half a million texts takes four times the memory, and stops everything while
 * it grows.
 * @param most how many ids there may be
 */
export function createShowIds(most: number): ShowIds {
  const ids: string[] = [];
  /** Twice as many as there may be ids, at least: each a number plus one, or 0 for none. */
  const places = new Uint32Array(2 ** (1 + Math.ceil(Math.log2(most + 1))));
  const last = places.length - 1;

  /** The place of an id, or the free one that it belongs in. */
  function placeOf(id: string): number {
    let place = hashOf(id) & last;
    for (;;) {
      const number = places[place] ?? 0;
      if (number === 0 || ids[number - 1] === id) return place;
      place = (place + 1) & last;
    }
  }

  return {
    get size() {
      return ids.length;
    },
    numberOf(id) {
      const number = places[placeOf(id)] ?? 0;
      return number === 0 ? undefined : number - 1;
    },
    at: (number) => ids[number],
    add(id) {
      places[placeOf(id)] = ids.push(id);
    },
  };
}
