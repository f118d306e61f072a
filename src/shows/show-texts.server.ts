import { inSlices } from "./in-slices.server.ts";

/**
 * Texts in UTF-8, outside of JavaScript's heap. Each has an address that is never used for another one: the same address is the same
 * text.
 */
export interface ShowTexts {
  /** Keeps a text and answers its address: `known`, if that is the address of the same text. */
  add(text: string, known?: number): number;
  /** The text at an address. */
  read(address: number): Buffer;
  /** Lets go of all texts but these. No text may be added meanwhile. */
  keepOnly(addresses: Float64Array): Promise<void>;
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

  return {
    add(text, known) {
      const length = Buffer.byteLength(text);
      const segment = segmentFor(PREFIX + length);
      segment.writeUInt32LE(length, used);
      segment.write(text, used + PREFIX);
      const address = newest * SEGMENT + used;
      if (known !== undefined && !isWasteful && read(known).equals(read(address))) return known;
      used += PREFIX + length;
      return address;
    },
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
