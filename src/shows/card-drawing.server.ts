import { LRUCache } from "lru-cache";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import type { ListedShow } from "./show.ts";

/** How many cards are kept, each some 2 KB: the whole of a festival's programme. */
const KEPT_CARDS = 4_000;

/**
 * Draws what is in a show's card, once for all pages that it is on. What is drawn may follow from the show alone; a show whose reviews have
 * changed is another object, and is drawn again.
 */
export function createCardDrawing(): (show: ListedShow, content: ReactNode) => string {
  const kept = new LRUCache<ListedShow, string>({ max: KEPT_CARDS });
  return function drawCard(show, content) {
    const known = kept.get(show);
    if (known !== undefined) return known;
    const html = renderToString(content);
    kept.set(show, html);
    return html;
  };
}
