import { digestOf } from "../http/digest.server.ts";
import { PAGE_SIZE, YEAR } from "./show.ts";

/** A page of the list that was found. */
export interface FoundPage {
  /** Names exactly this page, on every instance: which shows are on it, in which words, with which tallies. */
  hash: string;
  /** The page as `GET /api/shows` sends it. */
  json(): Buffer<ArrayBuffer>;
}

/** A show on a page. */
export interface FoundShow {
  /** Its JSON without the closing brace. */
  text: Buffer;
  /** The digest of that. */
  digest: string;
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
  // Digests of texts, which are known, are read in a tenth of the time that the texts take.
  let content = head;
  for (const { digest, tallies } of shows) content += `${digest} ${tallies}\n`;
  return { hash: digestOf(content), json: () => write(head, shows) };
}

/** More than the end of a show takes: its tallies, and what stands around them. */
const MOST_AT_END = 200;

function write(head: string, shows: readonly FoundShow[]): Buffer<ArrayBuffer> {
  let most = head.length + MOST_AT_END;
  for (const { text } of shows) most += text.length + MOST_AT_END;
  const page = Buffer.allocUnsafe(most);
  let used = page.write(head);
  let between = "";
  for (const { text, tallies } of shows) {
    used += page.write(between, used, "latin1");
    used += text.copy(page, used);
    between = tallies === undefined ? "}," : `,"reviews":${tallies}},`;
  }
  used += page.write(`${between.slice(0, -1)}]}`, used);
  return page.subarray(0, used);
}
