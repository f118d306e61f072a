import { hashOf } from "../lib/digest.server.ts";
import { inSlices } from "./in-slices.server.ts";

/** Which number the show of an id has. */
export interface ShowIds {
  size: number;
  /** Undefined for an id that is none of these. */
  numberOf(id: string): number | undefined;
  /** The id of a number. */
  at(number: number): string | undefined;
}

export const noIds: ShowIds = { size: 0, numberOf: () => undefined, at: () => undefined };

/**
 * Finds each id's place in a list that has none twice; others have their turn while it gets ready. A table of bare numbers: a `Map` of half
 * a million texts takes four times the memory, and stops everything while it grows.
 */
export async function numberIds(ids: readonly string[]): Promise<ShowIds> {
  /** Twice as many as there are ids, at least: each a number plus one, or 0 for none. */
  const places = new Uint32Array(2 ** (1 + Math.ceil(Math.log2(ids.length + 1))));
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

  await inSlices(ids.length, (number) => {
    places[placeOf(ids[number] ?? "")] = number + 1;
  });
  return {
    size: ids.length,
    numberOf(id) {
      const number = places[placeOf(id)] ?? 0;
      return number === 0 ? undefined : number - 1;
    },
    at: (number) => ids[number],
  };
}
