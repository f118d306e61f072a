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

/** Lists that there is room for at first, and blocks. Both are doubled when they are used up. */
const LISTS = 1_024;
const BLOCKS = 2_048;

/** What is known of a list, side by side: all of it is looked at for each number. `END` is where the next byte belongs. */
const [KEY, LAST, SIZE, END] = [0, 1, 2, 3];
const FACTS = 4;

/** What spreads keys that are much alike: 2³² / φ. */
const FACTOR = 2_654_435_769;

export function growLists(): GrowingLists {
  let facts = new Int32Array(LISTS * FACTS);
  let firstBlocks = new Uint32Array(LISTS);
  let lists = 0;
  /** A list's number plus one, or 0 for none, at the place of its key or the next that was free. */
  let places = new Uint32Array(2 * LISTS);
  let bytes = new Uint8Array(BLOCKS * BLOCK);
  /** Which block goes on where one ends. */
  let nextBlocks = new Uint32Array(BLOCKS);
  let blocks = 0;

  function placeOf(key: number): number {
    const last = places.length - 1;
    let place = (Math.imul(key, FACTOR) >>> 8) & last;
    for (;;) {
      const list = places[place] ?? 0;
      if (list === 0 || facts[(list - 1) * FACTS + KEY] === key) return place;
      place = (place + 1) & last;
    }
  }

  function listOf(key: number): number {
    const known = places[placeOf(key)] ?? 0;
    return known === 0 ? createList(key) : known - 1;
  }

  function createList(key: number): number {
    if (lists === firstBlocks.length) makeRoom();
    const list = lists++;
    const block = createBlock();
    firstBlocks[list] = block;
    facts.set([key, -1, 0, block * BLOCK], list * FACTS);
    places[placeOf(key)] = list + 1;
    return list;
  }

  function makeRoom(): void {
    facts = new Int32Array(twice(facts));
    firstBlocks = new Uint32Array(twice(firstBlocks));
    places = new Uint32Array(2 * places.length);
    for (let list = 0; list < lists; list++) places[placeOf(facts[list * FACTS + KEY] ?? 0)] = list + 1;
  }

  function createBlock(): number {
    if (blocks === nextBlocks.length) {
      bytes = new Uint8Array(twice(bytes));
      nextBlocks = new Uint32Array(twice(nextBlocks));
    }
    return blocks++;
  }

  /** Writes a byte and answers where the next one belongs. */
  function write(byte: number, at: number): number {
    bytes[at] = byte;
    const end = at + 1;
    if (end % BLOCK !== 0) return end;
    const next = createBlock();
    nextBlocks[end / BLOCK - 1] = next;
    return next * BLOCK;
  }

  /** Puts a list's bytes into `packed` and answers where they end. */
  function copy(list: number, packed: Uint8Array, start: number): number {
    const end = facts[list * FACTS + END] ?? 0;
    let place = start;
    let block = firstBlocks[list] ?? 0;
    for (; block !== Math.floor(end / BLOCK); block = nextBlocks[block] ?? 0) {
      packed.set(bytes.subarray(block * BLOCK, (block + 1) * BLOCK), place);
      place += BLOCK;
    }
    packed.set(bytes.subarray(block * BLOCK, end), place);
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
      const keys = Int32Array.from({ length: lists }, (_, list) => facts[list * FACTS + KEY] ?? 0).sort();
      const sizes = new Uint32Array(lists);
      const starts = new Uint32Array(lists + 1);
      const packed = new Uint8Array(blocks * BLOCK);
      await inSlices(lists, (place) => {
        const list = listOf(keys[place] ?? 0);
        sizes[place] = facts[list * FACTS + SIZE] ?? 0;
        starts[place + 1] = copy(list, packed, starts[place] ?? 0);
      });
      // Given back at once, as in `twice`.
      bytes.buffer.transfer(0);
      return { keys, sizes, starts, bytes: packed.subarray(0, starts[lists]) };
    },
  };
}

/** The same with as much room again. The old memory is given back at once, and not when V8 gets to it. */
function twice({ buffer, byteLength }: { buffer: ArrayBuffer; byteLength: number }): ArrayBuffer {
  return buffer.transfer(2 * byteLength);
}
