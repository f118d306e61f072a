import { LRUCache } from "lru-cache";
import { createElement, Fragment, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { inOwnMemory } from "../http/own-memory.server.ts";
import type { ListedShow } from "./show.ts";

/** How many cards are kept, each some 3 KB with what it was drawn from: the whole of a festival's programme. */
const KEPT_CARDS = 4_000;

/** The cards of one page. */
interface CardsOfPage {
  /** Has a show's card drawn. Answers the mark that stands for it in the page until it is put in. */
  draw(show: ListedShow, card: () => ReactNode): string;
  /** The bytes of a page with its cards in the places of their marks, piece by piece. */
  putInto(page: string): Buffer[];
}

interface Card {
  /** All that is known of its show: not the object, because each page that is read has objects of its own. */
  key: string;
  card: () => ReactNode;
}

/**
 * Draws shows' cards, each once for all pages that it is on. What is drawn may follow from the show alone: it is drawn again when
 * anything of the show has changed, its tallies too. Cards are three quarters of a page: it is put together of their bytes, so that
 * they are not gone through, nor encoded, again and again.
 * @param name of the page, which is in no text on it
 */
export function createCardDrawing(): (name: string) => CardsOfPage {
  const kept = new LRUCache<string, Buffer>({ max: KEPT_CARDS });

  function bytesOf(cards: readonly Card[], name: string): Buffer[] {
    const missing = cards.filter(({ key }) => !kept.has(key));
    const drawn = drawTogether(missing, name);
    for (const [place, { key }] of missing.entries()) kept.set(key, inOwnMemory(Buffer.from(drawn[place] ?? "")));
    return cards.flatMap(({ key }) => kept.get(key) ?? []);
  }

  return (name) => {
    const mark = `<!--${name}-->`;
    const cards: Card[] = [];
    return {
      draw(show, card) {
        cards.push({ key: JSON.stringify(show), card });
        return mark;
      },
      putInto(page) {
        const bytes = bytesOf(cards, name);
        return page.split(mark).flatMap((piece, place) => [Buffer.from(piece), ...bytes.slice(place, place + 1)]);
      },
    };
  };
}

/** In one go: merely to begin takes React a fifth of the time that a card takes. */
function drawTogether(cards: readonly Card[], name: string): string[] {
  if (cards.length === 0) return [];
  const html = renderToString(createElement(Fragment, null, ...cards.flatMap(({ card }) => [card(), name])));
  return html.split(name);
}
