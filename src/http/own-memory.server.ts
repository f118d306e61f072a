/**
 * Bytes, and texts in ASCII, as one piece, in memory of its own: for what is kept. Node cuts what is smaller than 32 KB from 64 KB that many share, all of which
 * is there as long as any of it is kept.
 */
export function inOwnMemory(...pieces: readonly (Uint8Array | string)[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeOf(pieces));
  let end = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") bytes.write(piece, end, "latin1");
    else bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/** In bytes; of texts, if they are in ASCII. */
export function sizeOf(pieces: readonly (Uint8Array | string)[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
