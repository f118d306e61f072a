import { inSlices } from "./in-slices.server.ts";

/**
 * Texts in UTF-8, outside of JavaScript's heap. Each has an address that is never used for another one: the same address is the same
 * text.
 */
export interface ShowTexts {
  /** Keeps a text and answers its address. */
  add(text: Uint8Array): number;
  /** Where a text is to be kept from now on: at its address, or at another one where it is written anew. */
  renew(address: number): number;
  /** The text at an address. */
  read(address: number): Buffer;
  /** Lets go of all texts but these. No text may be added meanwhile. */
  keepOnly(addresses: ArrayLike<number>): Promise<void>;
}

/** Bytes that are taken from the system at a time. */
const SEGMENT = 2 ** 20;

/** Bytes before a text that say how long it is. */
const PREFIX = 4;

/** Segments that may be held beyond what the texts take. */
const SPARE = 4;

export function createShowTexts(): ShowTexts {
  /** By number; an address is that of a segment and the place in it, as one number. */
  const segments = new Map<number, Buffer>();
  let newest = -1;
  let used = 0;
  /** So much of what is held is of no use that texts are written anew, and the old segments let go. */
  let isWasteful = false;

  function segmentFor(bytes: number): Buffer {
    const segment = segments.get(newest);
    if (segment && used < SEGMENT && used + bytes <= segment.length) return segment;
    const fresh = Buffer.allocUnsafeSlow(Math.max(SEGMENT, bytes));
    segments.set(++newest, fresh);
    used = 0;
    return fresh;
  }

  function segmentOf(address: number): Buffer {
    const segment = segments.get(Math.floor(address / SEGMENT));
    if (!segment) throw new RangeError(`There is no text at ${address}`);
    return segment;
  }

  function read(address: number): Buffer {
    const segment = segmentOf(address);
    const start = (address % SEGMENT) + PREFIX;
    return segment.subarray(start, start + segment.readUInt32LE(start - PREFIX));
  }

  function add(text: Uint8Array): number {
    const segment = segmentFor(PREFIX + text.length);
    const address = newest * SEGMENT + used;
    segment.writeUInt32LE(text.length, used);
    segment.set(text, used + PREFIX);
    used += PREFIX + text.length;
    return address;
  }

  return {
    add,
    renew: (address) => (isWasteful ? add(read(address)) : address),
    read,
    async keepOnly(addresses) {
      const needed = new Set([newest]);
      let bytes = 0;
      await inSlices(addresses.length, (index) => {
        const address = addresses[index] ?? 0;
        needed.add(Math.floor(address / SEGMENT));
        bytes += PREFIX + segmentOf(address).readUInt32LE(address % SEGMENT);
      });
      for (const number of segments.keys()) if (!needed.has(number)) segments.delete(number);
      isWasteful = segments.size * SEGMENT > 1.5 * bytes + SPARE * SEGMENT;
    },
  };
}
