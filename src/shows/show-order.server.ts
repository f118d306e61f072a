import { firstOf } from "./first-of.ts";

/** What shows are ordered and filtered by; each show has a rank, its place in the order by title. */
export interface OrderKeys {
  /** When a show's newest review was written, in ms since 1970, by rank; `NEVER` without reviews. */
  latest: Float64Array;
  /** Which answers its reviews gave, as a set of bits, by rank. */
  given: Uint8Array;
}

export const NEVER = Number.NEGATIVE_INFINITY;

/** Shows in order: the one with the most recent review first, those without reviews after all that have one, then by title. */
export interface ShowOrder {
  /** How many shows have a review with any of these answers; of no answers: how many there are. */
  count(answers: number): number;
  /** The ranks of those shows, in order: `most` of them from the one at place `from`. */
  slice(answers: number, from: number, most: number): number[];
  /** The same of the given ranks instead. */
  sliceOf(ranks: Uint32Array, from: number, most: number): number[];
  /** Lets `change` set what a show is ordered by, and puts it in its new place. */
  move(rank: number, change: () => void): void;
}

/** Ranks that a chunk has room for: few to push along, in so many chunks that skipping those is nothing. */
const ROOM = 512;

/** Answers make so many sets; the empty one stands for all shows. */
const SETS = 8;

/** A stretch of the order. */
interface Chunk {
  ranks: Uint32Array;
  size: number;
  /** How many of its shows have any of the answers, by set of answers. */
  counts: Uint32Array;
}

/** Compares ranks as shows are ordered. The difference of two shows without reviews is `NaN`, which counts as none. */
export function byNewestReview({ latest }: OrderKeys): (a: number, b: number) => number {
  return (a, b) => (latest[b] ?? NEVER) - (latest[a] ?? NEVER) || a - b;
}

/** Whether a show that was given these answers has any of a set. */
function isIn(set: number, given: number): boolean {
  return set === 0 || (given & set) !== 0;
}

/**
 * Keeps an order in chunks: a show that moves pushes only those of two chunks along, and a page is found by skipping whole chunks.
 * @param sorted all ranks, in order
 */
export function createShowOrder(sorted: readonly number[], keys: OrderKeys): ShowOrder {
  const compare = byNewestReview(keys);
  const totals = new Uint32Array(SETS);
  const size = sorted.length;
  const marked = new Uint8Array(size);
  const chunks: Chunk[] = [];
  for (let start = 0; start < size; start += ROOM / 2) chunks.push(createChunk(sorted.slice(start, start + ROOM / 2)));
  for (const { counts } of chunks)
    for (const [set, shows] of counts.entries()) totals[set] = (totals[set] ?? 0) + shows;

  function createChunk(ranks: ArrayLike<number>): Chunk {
    const chunk = { ranks: new Uint32Array(ROOM), size: ranks.length, counts: new Uint32Array(SETS) };
    chunk.ranks.set(ranks);
    const byGiven = new Uint32Array(SETS);
    for (let place = 0; place < chunk.size; place++) {
      const given = keys.given[chunk.ranks[place] ?? 0] ?? 0;
      byGiven[given] = (byGiven[given] ?? 0) + 1;
    }
    for (let set = 0; set < SETS; set++) {
      chunk.counts[set] = byGiven.reduce((sum, shows, given) => (isIn(set, given) ? sum + shows : sum), 0);
    }
    return chunk;
  }

  function count(counts: Uint32Array, rank: number, change: 1 | -1): void {
    const given = keys.given[rank] ?? 0;
    for (let set = 0; set < SETS; set++) if (isIn(set, given)) counts[set] = (counts[set] ?? 0) + change;
  }

  /** The place of the chunk where a rank is, or belongs. */
  function chunkOf(rank: number): number {
    return firstOf(chunks.length - 1, (place) => {
      const chunk = chunks[place];
      return chunk !== undefined && compare(chunk.ranks[chunk.size - 1] ?? 0, rank) >= 0;
    });
  }

  function placeIn({ ranks, size }: Chunk, rank: number): number {
    return firstOf(size, (place) => compare(ranks[place] ?? 0, rank) >= 0);
  }

  function remove(rank: number): void {
    const at = chunkOf(rank);
    const chunk = chunks[at];
    if (!chunk) return;
    const place = placeIn(chunk, rank);
    chunk.ranks.copyWithin(place, place + 1, chunk.size);
    chunk.size--;
    for (const counts of [chunk.counts, totals]) count(counts, rank, -1);
    if (chunk.size === 0 && chunks.length > 1) chunks.splice(at, 1);
  }

  function insert(rank: number): void {
    const chunk = chunkWithRoom(rank);
    if (!chunk) return;
    const place = placeIn(chunk, rank);
    chunk.ranks.copyWithin(place + 1, place, chunk.size);
    chunk.ranks[place] = rank;
    chunk.size++;
    for (const counts of [chunk.counts, totals]) count(counts, rank, 1);
  }

  /** The chunk where a rank belongs; a full one is made two. */
  function chunkWithRoom(rank: number): Chunk | undefined {
    const at = chunkOf(rank);
    const chunk = chunks[at];
    if (!chunk || chunk.size < ROOM) return chunk;
    const halves = [chunk.ranks.subarray(0, ROOM / 2), chunk.ranks.subarray(ROOM / 2)];
    chunks.splice(at, 1, ...halves.map(createChunk));
    return chunks[chunkOf(rank)];
  }

  /** From chunk `at` on: `most` of the ranks that `isAsked` is true of, in order, without the first `skip`. */
  function collect(at: number, isAsked: (rank: number) => boolean, skip: number, most: number): number[] {
    const found: number[] = [];
    let left = skip;
    for (const { ranks, size } of chunks.slice(at)) {
      for (let place = 0; place < size; place++) {
        const rank = ranks[place] ?? 0;
        if (!isAsked(rank) || left-- > 0) continue;
        found.push(rank);
        if (found.length >= most) return found;
      }
    }
    return found;
  }

  return {
    count: (answers) => totals[answers] ?? 0,
    slice(answers, from, most) {
      let at = 0;
      let skip = from;
      for (const { counts } of chunks) {
        const matching = counts[answers] ?? 0;
        if (skip < matching) break;
        skip -= matching;
        at++;
      }
      return collect(at, (rank) => isIn(answers, keys.given[rank] ?? 0), skip, most);
    },
    sliceOf(ranks, from, most) {
      if (ranks.length === 0) return [];
      const toSort = 4 * ranks.length * Math.log2(ranks.length);
      const toLookAt = size * Math.min(1, (from + most) / ranks.length);
      if (toSort < toLookAt) return [...ranks.toSorted(compare).subarray(from, from + most)];
      for (const rank of ranks) marked[rank] = 1;
      const found = collect(0, (rank) => marked[rank] === 1, from, most);
      for (const rank of ranks) marked[rank] = 0;
      return found;
    },
    move(rank, change) {
      remove(rank);
      change();
      insert(rank);
    },
  };
}
