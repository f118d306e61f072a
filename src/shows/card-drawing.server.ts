import { LRUCache } from "lru-cache";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import type { ListedShow } from "./show.ts";

/** How many cards are kept, each some 3 KB with what it was drawn from: the whole of a festival's programme. */
const KEPT_CARDS = 4_000;

/**
 * Draws what is in a show's card, once for all pages that it is on. What is drawn may follow from the show alone: it is drawn again when
 * anything of the show has changed, its tallies too.
 */
export function createCardDrawing(): (show: ListedShow, content: ReactNode) => string {
  const kept = new LRUCache<string, string>({ max: KEPT_CARDS });
  return function drawCard(show, content) {
    // Not the object: each page that is read has objects of its own.
    const key = JSON.stringify(show);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const html = renderToString(content);
    kept.set(key, html);
    return html;
  };
}
