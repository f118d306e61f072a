import { hashOf } from "./digest.server.ts";

/** How many texts are known, a power of two. */
const KNOWN = 1_024;

/**
 * Tells of each text whether it is one of the last thousand or so; of thousands of millions of others one is taken for one of those. They
 * are known by numbers alone: a `Set` of texts that is emptied when it is full has V8 keep most of them until all memory is looked at, since
 * each table points to the one that took its place, and the first that has grown old keeps all others.
 */
export function recogniseLast(): (text: string) => boolean {
  const known = new Int32Array(KNOWN);
  return function isAgain(text) {
    const hash = hashOf(text);
    const place = hash & (KNOWN - 1);
    if (known[place] === hash) return true;
    known[place] = hash;
    return false;
  };
}
