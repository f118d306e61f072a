import { LRUCache } from "lru-cache";
import { createElement, Fragment, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import type { ListedShow } from "../domain/show.ts";
import { inOwnMemory } from "../http/own-memory.server.ts";
import { nextTurn } from "../http/turns.server.ts";

/** How many cards are kept, each some 3 KB with what it was drawn from: the whole of a festival's programme. */
const KEPT_CARDS = 4_000;

/** Cards that are drawn in one turn of the event loop: half a ms, as with other long work. */
const CARDS_A_TURN = 5;

/** The cards of one page. */
interface CardsOfPage {
  /** Has a show's card drawn. Answers the mark that stands for it in the page until it is put in. */
  draw(show: ListedShow, card: () => ReactNode): string;
  /** The bytes of a page with its cards in the places of their marks, piece by piece. */
  putInto(page: string): Promise<Buffer[]>;
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

  async function bytesOf(cards: readonly Card[], name: string): Promise<Buffer[]> {
    // To get it makes it the last to be let go of, whatever is drawn meanwhile.
    const missing = cards.filter(({ key }) => !kept.get(key));
    for (let first = 0; first < missing.length; first += CARDS_A_TURN) {
      if (first > 0) await nextTurn();
      const some = missing.slice(first, first + CARDS_A_TURN);
      const drawn = drawTogether(some, name);
      for (const [place, { key }] of some.entries()) kept.set(key, inOwnMemory(Buffer.from(drawn[place] ?? "")));
    }
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
      async putInto(page) {
        const bytes = await bytesOf(cards, name);
        return page.split(mark).flatMap((piece, place) => [Buffer.from(piece), ...bytes.slice(place, place + 1)]);
      },
    };
  };
}

/** In one go, rather than one by one: merely to begin takes React a fifth of the time that a card takes. */
function drawTogether(cards: readonly Card[], name: string): string[] {
  const html = renderToString(createElement(Fragment, null, ...cards.flatMap(({ card }) => [card(), name])));
  return html.split(name);
}
