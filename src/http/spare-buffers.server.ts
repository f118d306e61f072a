/** Memory that is used again and again. */
export interface SpareBuffers {
  /** So many bytes, with anything in them. */
  take(bytes: number): Buffer<ArrayBuffer>;
  /** When nobody looks at them any more. What is never given back is collected as usual; what was never taken is left alone. */
  giveBack(taken: Uint8Array<ArrayBuffer>): void;
}

/** More than a page of the list has, in bytes. */
const SIZE = 32_768;

/** How many wait to be used: no more answers than that are under way in one turn of the event loop, as a rule. */
const MOST = 16;

/**
 * For answers that are sent at once and not kept: new memory for each, whose pages the kernel has to provide, takes several times as long as
 * writing the answer.
 */
export function createSpareBuffers(): SpareBuffers {
  const own = new WeakSet<ArrayBuffer>();
  const spare: ArrayBuffer[] = [];

  function create(): ArrayBuffer {
    const fresh = new ArrayBuffer(SIZE);
    own.add(fresh);
    return fresh;
  }

  return {
    take: (bytes) => (bytes > SIZE ? Buffer.allocUnsafe(bytes) : Buffer.from(spare.pop() ?? create(), 0, bytes)),
    giveBack({ buffer }) {
      if (own.has(buffer) && spare.length < MOST) spare.push(buffer);
    },
  };
}
