import { inSlices } from "./in-slices.server.ts";

/** Lists of ascending whole numbers under keys, as they lie in memory: one after the other in the order of their keys. */
export interface PackedLists {
  keys: Int32Array;
  sizes: Uint32Array;
  /** Where each list starts in `bytes`, and where the last one ends. */
  starts: Uint32Array;
  /** The differences between the numbers of a list, seven bits a byte, the lowest first: little more than a byte a number. */
  bytes: Uint8Array;
}

/** Lists that grow all at the same time. */
export interface GrowingLists {
  /** Puts a number, not less than the last one there, under a key; the same again is left out. */
  add(key: number, number: number): void;
  /** The lists as they are to stay; others have their turn in between. To be called last. */
  pack(): Promise<PackedLists>;
}

/** Bytes of a block. A list is a chain of blocks. */
const BLOCK = 64;

/** Bytes of blocks that are taken at a time: one memory for all, doubled when it is used up, is copied while everybody waits. */
const SLAB_BITS = 17;
const SLAB = 2 ** SLAB_BITS;

/** Places for lists at first. They are doubled when half of them are taken. */
const PLACES = 2_048;

/**
 * What is known of a list, side by side: all of it is looked at for each number. `END` is where the next byte belongs, and 0 where there
 * is no list.
 */
const [KEY, LAST, SIZE, END] = [0, 1, 2, 3];
const FACTS = 4;

/** What spreads keys that are much alike: 2³² / φ. */
const FACTOR = 2_654_435_769;

export function growLists(): GrowingLists {
  /** A list stands at the place of its key or the next that was free. */
  let facts = new Int32Array(PLACES * FACTS);
  let firstBlocks = new Uint32Array(PLACES);
  let lists = 0;
  const slabs = [new Uint8Array(SLAB)];
  /** Which block goes on where one ends. The first is nobody's, so that no list ends at 0. */
  const nextBlocks = [0];

  function placeOf(key: number): number {
    const last = firstBlocks.length - 1;
    let place = (Math.imul(key, FACTOR) >>> 8) & last;
    while (facts[place * FACTS + KEY] !== key && isTaken(place)) place = (place + 1) & last;
    return place;
  }

  function isTaken(place: number): boolean {
    return facts[place * FACTS + END] !== 0;
  }

  /** The place of the list of a key, which is made if there is none. */
  function listOf(key: number): number {
    const place = placeOf(key);
    return isTaken(place) ? place : createList(key);
  }

  function createList(key: number): number {
    if (2 * ++lists > firstBlocks.length) makeRoom();
    const place = placeOf(key);
    const block = createBlock();
    firstBlocks[place] = block;
    facts.set([key, -1, 0, block * BLOCK], place * FACTS);
    return place;
  }

  function makeRoom(): void {
    const [before, blocksBefore] = [facts, firstBlocks];
    facts = new Int32Array(2 * before.length);
    firstBlocks = new Uint32Array(2 * blocksBefore.length);
    for (const [place, block] of blocksBefore.entries()) {
      if (block === 0) continue;
      const known = before.subarray(place * FACTS, (place + 1) * FACTS);
      const now = placeOf(known[KEY] ?? 0);
      facts.set(known, now * FACTS);
      firstBlocks[now] = block;
    }
  }

  function createBlock(): number {
    if ((nextBlocks.length * BLOCK) % SLAB === 0) slabs.push(new Uint8Array(SLAB));
    return nextBlocks.push(0) - 1;
  }

  /** Writes a byte and answers where the next one belongs. */
  function write(byte: number, at: number): number {
    const slab = slabs[at >>> SLAB_BITS];
    if (slab) slab[at & (SLAB - 1)] = byte;
    const end = at + 1;
    if (end % BLOCK !== 0) return end;
    const next = createBlock();
    nextBlocks[end / BLOCK - 1] = next;
    return next * BLOCK;
  }

  /** The first bytes of a block. */
  function bytesOf(block: number, count: number): Uint8Array {
    const start = block * BLOCK;
    return slabs[start >>> SLAB_BITS]?.subarray(start & (SLAB - 1), (start & (SLAB - 1)) + count) ?? new Uint8Array();
  }

  /** The keys of all lists, ascending. */
  function keysInOrder(): Int32Array {
    const keys = new Int32Array(lists);
    let known = 0;
    for (let place = 0; place < firstBlocks.length; place++) {
      if (isTaken(place)) keys[known++] = facts[place * FACTS + KEY] ?? 0;
    }
    return keys.sort();
  }

  /** Puts a list's bytes into `packed` and answers where they end. */
  function copy(list: number, packed: Uint8Array, start: number): number {
    const end = facts[list * FACTS + END] ?? 0;
    let place = start;
    let block = firstBlocks[list] ?? 0;
    for (; block !== Math.floor(end / BLOCK); block = nextBlocks[block] ?? 0) {
      packed.set(bytesOf(block, BLOCK), place);
      place += BLOCK;
    }
    packed.set(bytesOf(block, end % BLOCK), place);
    return place + (end % BLOCK);
  }

  return {
    add(key, number) {
      const list = listOf(key) * FACTS;
      let difference = number - (facts[list + LAST] ?? 0);
      if (difference === 0) return;
      let end = facts[list + END] ?? 0;
      for (; difference > 127; difference >>>= 7) end = write((difference & 127) | 128, end);
      facts[list + END] = write(difference, end);
      facts[list + LAST] = number;
      facts[list + SIZE] = (facts[list + SIZE] ?? 0) + 1;
    },
    async pack() {
      const keys = keysInOrder();
      const sizes = new Uint32Array(lists);
      const starts = new Uint32Array(lists + 1);
      const packed = new Uint8Array(nextBlocks.length * BLOCK);
      await inSlices(lists, (place) => {
        const list = listOf(keys[place] ?? 0);
        sizes[place] = facts[list * FACTS + SIZE] ?? 0;
        starts[place + 1] = copy(list, packed, starts[place] ?? 0);
      });
      return { keys, sizes, starts, bytes: packed.subarray(0, starts[lists]) };
    },
  };
}
