import { showPage } from "../../src/shows/api-schema.server.ts";
import { type ListedShow, PAGE_SIZE } from "../../src/shows/show.ts";

/** What there is to ask for. */
export interface Programme {
  /** How many shows are listed, and on how many pages. */
  shows: number;
  pages: number;
  /** Every word of at least three letters in a title, an artist's or a venue's name, once each. */
  words: string[];
  /** The ids of the shows on each page. */
  showIds: string[][];
}

export const apiHeaders = { apikey: "front-row-public" };

/** Reads the whole list through the API. */
export async function readProgramme(origin: string): Promise<Programme> {
  const { total } = await readPage(origin, 1);
  const pages = Math.ceil(total / PAGE_SIZE);
  const words = new Set<string>();
  const showIds: string[][] = [];
  for (let page = 1; page <= pages; page++) {
    const { shows } = await readPage(origin, page);
    for (const word of shows.flatMap(wordsOf)) words.add(word);
    showIds.push(shows.map(({ id }) => id));
  }
  return { shows: total, pages, words: [...words], showIds };
}

async function readPage(origin: string, page: number) {
  const answer = await fetch(`${origin}/api/shows?page=${page}`, { headers: apiHeaders });
  return showPage.parse(await answer.json());
}

function wordsOf({ title, artist, venue_name }: ListedShow): string[] {
  const text = [title, artist, venue_name].join(" ").toLowerCase();
  return text.match(/\p{Letter}{3,}/gu) ?? [];
}
