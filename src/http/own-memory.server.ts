/**
 * Bytes as one piece, in memory of its own: for what is kept. Node cuts what is smaller than 32 KB from 64 KB that many share, all of which
 * is there as long as any of it is kept.
 */
export function inOwnMemory(...pieces: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeOf(pieces));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/** In bytes. */
export function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
