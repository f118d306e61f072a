import { type ListedShow, PAGE_SIZE, showPage } from "../../src/domain/show.ts";

/** What there is to ask for. */
export interface Programme {
  /** How many shows are listed, how many reviews they have, and on how many pages they are. */
  shows: number;
  reviews: number;
  pages: number;
  /** Every title, artist's and venue's name, once each. */
  texts: string[];
  /** The ids of the shows on each page. */
  showIds: string[][];
}

export const apiHeaders = { apikey: "front-row-public" };

/** Reads the whole list through the API. */
export async function readProgramme(origin: string): Promise<Programme> {
  const { total } = await readPage(origin, "");
  const pages = Math.ceil(total / PAGE_SIZE);
  const texts = new Set<string>();
  const showIds: string[][] = [];
  let reviews = 0;
  for (let page = 1; page <= pages; page++) {
    const { shows } = await readPage(origin, `page=${page}`);
    for (const text of shows.flatMap(textsOf)) texts.add(text);
    for (const { reviews: tallies } of shows) {
      if (tallies) reviews += tallies.no + tallies.very_little + tallies.yes;
    }
    showIds.push(shows.map(({ id }) => id));
  }
  return { shows: total, reviews, pages, texts: [...texts], showIds };
}

/** One page of the list, by the parameters of its query. */
export async function readPage(origin: string, parameters: string) {
  const answer = await fetch(`${origin}/api/shows?${parameters}`, { headers: apiHeaders });
  return showPage.parse(await answer.json());
}

function textsOf({ title, artist, venue_name }: ListedShow): string[] {
  return [title, artist, venue_name].filter((text) => text !== null);
}
