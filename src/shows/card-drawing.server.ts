import { LRUCache } from "lru-cache";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import type { ListedShow } from "./show.ts";

/** How many cards are kept, each some 3 KB with what it was drawn from: the whole of a festival's programme. */
const KEPT_CARDS = 4_000;

/** The cards of one page. */
interface CardsOfPage {
  /** Draws a show's card. Answers the mark that stands for it in the page until it is put in. */
  draw(show: ListedShow, card: () => ReactNode): string;
  /** The bytes of a page with its cards in the places of their marks, piece by piece. */
  putInto(page: string): Buffer[];
}

/**
 * Draws a show's card, once for all pages that it is on. What is drawn may follow from the show alone: it is drawn again when
 * anything of the show has changed, its tallies too. Cards are three quarters of a page: it is put together of their bytes, so that
 * they are not gone through, nor encoded, again and again.
 * @param name is in no text that could have been put into the page
 */
export function createCardDrawing(): (name: string) => CardsOfPage {
  const kept = new LRUCache<string, Buffer>({ max: KEPT_CARDS });

  function drawCard(show: ListedShow, card: () => ReactNode): Buffer {
    // Not the object: each page that is read has objects of its own.
    const key = JSON.stringify(show);
    const known = kept.get(key);
    if (known) return known;
    const drawn = Buffer.from(renderToString(card()));
    kept.set(key, drawn);
    return drawn;
  }

  return (name) => {
    const mark = `<!--${name}-->`;
    const cards: Buffer[] = [];
    return {
      draw(show, card) {
        cards.push(drawCard(show, card));
        return mark;
      },
      putInto: (page) =>
        page.split(mark).flatMap((piece, place) => [Buffer.from(piece), ...cards.slice(place, place + 1)]),
    };
  };
}
