import { digestOf } from "../http/digest.server.ts";
import { PAGE_SIZE, YEAR } from "./show.ts";

/** A page of the list that was found. */
export interface FoundPage {
  /** Names exactly this page, on every instance: which shows are on it, in which words, with which tallies. */
  hash: string;
  /** The page as `GET /api/shows` sends it. */
  json(): Buffer<ArrayBuffer>;
}

/** A show as it is on a page. */
export interface FoundShow {
  json: Buffer;
  /** The digest of that. */
  digest: string;
}

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
  return { hash: digestOf(content), json: () => write(head, shows) };
}

const COMMA = ",".charCodeAt(0);

function write(head: string, shows: readonly FoundShow[]): Buffer<ArrayBuffer> {
  let size = head.length + Math.max(0, shows.length - 1) + "]}".length;
  for (const { json } of shows) size += json.length;
  const page = Buffer.allocUnsafe(size);
  let used = page.write(head, "latin1");
  for (const { json } of shows) {
    used += json.copy(page, used);
    page[used++] = COMMA;
  }
  page.write("]}", size - 2, "latin1"); // in the place of the last comma
  return page;
}
