import { PAGE_SIZE, YEAR } from "../domain/show.ts";
import { digestOf } from "../lib/digest.server.ts";

/** A page of the list that was found. */
export interface FoundPage {
  /** Names exactly this page, on every instance: which shows are on it, in which words, with which tallies. */
  hash: string;
  /**
   * The page as `GET /api/shows` sends it, in the pieces that are kept of it. Put together for every request, pages would be a hundred
   * megabytes a second outside the heap, for which V8 would look at all of its memory every other second.
   */
  pieces(): Buffer<ArrayBuffer>[];
}

/** A show as it is on a page. */
export interface FoundShow {
  /** Its JSON, after a comma. */
  piece: Buffer<ArrayBuffer>;
  /** The digest of that. */
  digest: string;
}

const END = Buffer.from("]}");

/**
 * The asked page of a list, or the last one when the asked one is past the end.
 * @param showsFrom the shows of a page, by the place of the first
 */
export function foundPage(asked: number, total: number, showsFrom: (place: number) => readonly FoundShow[]): FoundPage {
  const page = Math.min(asked, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const shows = showsFrom((page - 1) * PAGE_SIZE);
  const head = `{"year":${YEAR},"page":${page},"page_size":${PAGE_SIZE},"total":${total},"shows":[`;
  // Digests of shows, which are known, are read in a fraction of the time that the page takes.
  let content = head;
  for (const { digest } of shows) content += digest;
  return {
    hash: digestOf(content),
    pieces: () => [
      Buffer.from(head),
      ...shows.map(({ piece }, place) => (place === 0 ? piece.subarray(1) : piece)),
      END,
    ],
  };
}
