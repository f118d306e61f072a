import { firstOf } from "./first-of.ts";

/** What shows are ordered and filtered by, under the number of each. */
export interface OrderKeys {
  /** Its place in the order by title. */
  ranks: Uint32Array;
  /** When its newest review was written, in ms since 1970; `NEVER` without reviews. */
  latest: Float64Array;
  /** Which answers its reviews gave, as a set of bits. */
  given: Uint8Array;
}

export const NEVER = Number.NEGATIVE_INFINITY;

/** Shows in order: the one with the most recent review first, those without reviews after all that have one, then by title. */
export interface ShowOrder {
  /** The numbers of all shows, in order. */
  all(): Uint32Array;
  /** How many shows have a review with any of these answers; of no answers: how many there are. */
  count(answers: number): number;
  /** The numbers of those shows, in order: `most` of them from the one at place `from`. */
  slice(answers: number, from: number, most: number): number[];
  /** The same of some shows instead, whose numbers ascend. */
  sliceOf(numbers: Uint32Array, from: number, most: number): number[];
  /** Lets `change` set what a show is ordered by, and puts it in its new place. */
  move(number: number, change: () => void): void;
}

/** Shows that a chunk has room for: few to push along, in so many chunks that skipping those is nothing. */
const ROOM = 512;

/** Answers make so many sets; the empty one stands for all shows. */
export const SETS = 8;

/** Stands in place of the number of shows for a chunk that a page is in. */
const ON_PAGE = -1;

/** A stretch of the order. */
interface Chunk {
  id: number;
  numbers: Uint32Array;
  size: number;
  /** How many of its shows have any of the answers, by set of answers. */
  counts: Uint32Array;
}

/** What so many shows are ordered and filtered by besides their titles while none has a review. */
export function withoutReviews(size: number): Pick<OrderKeys, "latest" | "given"> {
  return { latest: new Float64Array(size).fill(NEVER), given: new Uint8Array(size) };
}

/** Compares numbers as shows are ordered. The difference of two shows without reviews is `NaN`, which counts as none. */
export function byNewestReview({ latest, ranks }: OrderKeys): (a: number, b: number) => number {
  return (a, b) => (latest[b] ?? NEVER) - (latest[a] ?? NEVER) || (ranks[a] ?? 0) - (ranks[b] ?? 0);
}

/** Whether a show that was given these answers has any of a set. */
function isIn(set: number, given: number): boolean {
  return set === 0 || (given & set) !== 0;
}

/**
 * Keeps an order in chunks: a show that moves pushes only those of two chunks along, and a page is found by skipping whole chunks.
 * @param sorted the numbers of all shows, in order
 */
export function createShowOrder(sorted: Uint32Array, keys: OrderKeys): ShowOrder {
  const compare = byNewestReview(keys);
  const totals = new Uint32Array(SETS);
  const size = sorted.length;
  /** Under the number of each show the chunk that it is in. */
  const chunkIds = new Uint32Array(size);
  /** Under the id of each chunk how many of the shows that are asked for are in it. */
  const inChunk: number[] = [];
  /** A bit for each show, whether it is asked for: of bytes the processor's nearest memory would not hold as many. */
  const bits = new Uint32Array(Math.ceil(size / 32));
  const chunks: Chunk[] = [];
  for (let start = 0; start < size; start += ROOM / 2)
    chunks.push(createChunk(sorted.subarray(start, start + ROOM / 2)));
  for (const { counts } of chunks)
    for (const [set, shows] of counts.entries()) totals[set] = (totals[set] ?? 0) + shows;

  function createChunk(numbers: Uint32Array): Chunk {
    const id = inChunk.push(0) - 1;
    const chunk = { id, numbers: new Uint32Array(ROOM), size: numbers.length, counts: new Uint32Array(SETS) };
    chunk.numbers.set(numbers);
    for (const number of numbers) chunkIds[number] = id;
    const byGiven = new Uint32Array(SETS);
    for (let place = 0; place < chunk.size; place++) {
      const given = keys.given[chunk.numbers[place] ?? 0] ?? 0;
      byGiven[given] = (byGiven[given] ?? 0) + 1;
    }
    for (let set = 0; set < SETS; set++) {
      chunk.counts[set] = byGiven.reduce((sum, shows, given) => (isIn(set, given) ? sum + shows : sum), 0);
    }
    return chunk;
  }

  function count(counts: Uint32Array, number: number, change: 1 | -1): void {
    const given = keys.given[number] ?? 0;
    for (let set = 0; set < SETS; set++) if (isIn(set, given)) counts[set] = (counts[set] ?? 0) + change;
  }

  /** The place of the chunk where a number is, or belongs. */
  function chunkOf(number: number): number {
    return firstOf(chunks.length - 1, (place) => {
      const chunk = chunks[place];
      return chunk !== undefined && compare(chunk.numbers[chunk.size - 1] ?? 0, number) >= 0;
    });
  }

  function placeIn({ numbers, size }: Chunk, number: number): number {
    return firstOf(size, (place) => compare(numbers[place] ?? 0, number) >= 0);
  }

  function remove(number: number): void {
    const at = chunkOf(number);
    const chunk = chunks[at];
    if (!chunk) return;
    const place = placeIn(chunk, number);
    chunk.numbers.copyWithin(place, place + 1, chunk.size);
    chunk.size--;
    for (const counts of [chunk.counts, totals]) count(counts, number, -1);
    if (chunk.size === 0 && chunks.length > 1) chunks.splice(at, 1);
  }

  function insert(number: number): void {
    const chunk = chunkWithRoom(number);
    if (!chunk) return;
    const place = placeIn(chunk, number);
    chunk.numbers.copyWithin(place + 1, place, chunk.size);
    chunk.numbers[place] = number;
    chunk.size++;
    chunkIds[number] = chunk.id;
    for (const counts of [chunk.counts, totals]) count(counts, number, 1);
  }

  /** The chunk where a number belongs; a full one is made two. */
  function chunkWithRoom(number: number): Chunk | undefined {
    const at = chunkOf(number);
    const chunk = chunks[at];
    if (!chunk || chunk.size < ROOM) return chunk;
    const halves = [chunk.numbers.subarray(0, ROOM / 2), chunk.numbers.subarray(ROOM / 2)];
    chunks.splice(at, 1, ...halves.map(createChunk));
    return chunks[chunkOf(number)];
  }

  /** From chunk `at` on: `most` of the numbers that `isAsked` is true of, in order, without the first `skip`. */
  function collect(at: number, isAsked: (number: number) => boolean, skip: number, most: number): number[] {
    const found: number[] = [];
    let left = skip;
    for (const { numbers, size } of chunks.slice(at)) {
      for (let place = 0; place < size; place++) {
        const number = numbers[place] ?? 0;
        if (!isAsked(number) || left-- > 0) continue;
        found.push(number);
        if (found.length >= most) return found;
      }
    }
    return found;
  }

  /** Whether a number is one of these; true until others are asked for. */
  function among(numbers: Uint32Array): (number: number) => boolean {
    bits.fill(0);
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index] ?? 0;
      bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
    }
    return (number) => (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }

  /**
   * Those of some numbers that are in the chunks of a page, in no order, and how many are in chunks before. Of all others only their chunks
   * are looked at, so that it hardly matters how many they are, or how far back the page is.
   */
  function nearPage(numbers: Uint32Array, from: number, most: number): { near: number[]; before: number } {
    inChunk.fill(0);
    for (let index = 0; index < numbers.length; index++) {
      const id = chunkIds[numbers[index] ?? 0] ?? 0;
      inChunk[id] = (inChunk[id] ?? 0) + 1;
    }
    let before = 0;
    let end = 0;
    for (const { id } of chunks) {
      end += inChunk[id] ?? 0;
      if (end <= from) before = end;
      else inChunk[id] = ON_PAGE;
      if (end >= from + most) break;
    }
    const near: number[] = [];
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index] ?? 0;
      if (inChunk[chunkIds[number] ?? 0] === ON_PAGE) near.push(number);
    }
    return { near, before };
  }

  return {
    all() {
      const numbers = new Uint32Array(size);
      let place = 0;
      for (const chunk of chunks) {
        numbers.set(chunk.numbers.subarray(0, chunk.size), place);
        place += chunk.size;
      }
      return numbers;
    },
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
      return collect(at, (number) => isIn(answers, keys.given[number] ?? 0), skip, most);
    },
    sliceOf(numbers, from, most) {
      if (numbers.length === 0) return [];
      const toLookAt = size * Math.min(1, (from + most) / numbers.length);
      // To count, sort and look a second time takes as long as marking a number and looking at four shows.
      if (toLookAt < 4 * numbers.length) return collect(0, among(numbers), from, most);
      const { near, before } = nearPage(numbers, from, most);
      return near.sort(compare).slice(from - before, from - before + most);
    },
    move(number, change) {
      remove(number);
      change();
      insert(number);
    },
  };
}
