import { PAGE_SIZE, YEAR } from "./show.ts";

/** A page of the list that was found. */
export interface FoundPage {
  /** While it is the same, so is the page: which shows are on it, in which words, with which tallies. */
  content: string;
  /** The page as `GET /api/shows` sends it. */
  json(): Buffer<ArrayBuffer>;
}

/** A show on a page. */
export interface FoundShow {
  /** Where its text is kept. */
  address: number;
  /** Its JSON without the closing brace. */
  text: Buffer;
  /** The JSON of its tallies; undefined where it is shown alone. */
  tallies: string | undefined;
}

/**
 * The asked page of a list, or the last one when the asked one is past the end.
 * @param showsFrom the shows of a page, by the place of the first
 */
export function foundPage(asked: number, total: number, showsFrom: (place: number) => readonly FoundShow[]): FoundPage {
  const page = Math.min(asked, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const shows = showsFrom((page - 1) * PAGE_SIZE);
  const head = `{"year":${YEAR},"page":${page},"page_size":${PAGE_SIZE},"total":${total},"shows":[`;
  return {
    content: head + shows.map(({ address, tallies }) => `${address} ${tallies}`).join("\n"),
    json: () => write(head, shows),
  };
}

/** More than the end of a show takes: its tallies, and what stands around them. */
const MOST_AT_END = 200;

function write(head: string, shows: readonly FoundShow[]): Buffer<ArrayBuffer> {
  const most = shows.reduce((sum, { text }) => sum + text.length + MOST_AT_END, head.length + MOST_AT_END);
  const page = Buffer.allocUnsafe(most);
  let used = page.write(head);
  for (const [place, { text, tallies }] of shows.entries()) {
    used += text.copy(page, used);
    const end = tallies === undefined ? "}" : `,"reviews":${tallies}}`;
    used += page.write(place < shows.length - 1 ? `${end},` : end, used);
  }
  used += page.write("]}", used);
  return page.subarray(0, used);
}
