import { z } from "zod";

const text = z.string().nullable();
const show = z.object({ id: z.string(), title: z.string(), artist: text, venue_name: text });
const showPage = z.object({ page: z.int(), total: z.int(), shows: z.array(show) });

export const apiHeaders = { apikey: "front-row-public" };

export interface Programme {
  total: number;
  /** Ids by page. */
  pages: string[][];
  /** All distinct titles, artists and venue names. */
  texts: string[];
}

export async function readProgramme(origin: string): Promise<Programme> {
  const { total, shows } = await readPage(`${origin}/api/shows`);
  const pages: string[][] = [];
  const texts = new Set<string>();
  const pageCount = Math.ceil(total / shows.length);
  for (let page = 1; page <= pageCount; page++) {
    const { shows } = await readPage(`${origin}/api/shows?page=${page}`);
    pages.push(shows.map(({ id }) => id));
    for (const { title, artist, venue_name } of shows) {
      for (const text of [title, artist, venue_name]) if (text !== null) texts.add(text);
    }
  }
  return { total, pages, texts: [...texts] };
}

export async function readPage(url: string): Promise<z.infer<typeof showPage>> {
  const response = await fetch(url, { headers: apiHeaders });
  return showPage.parse(await response.json());
}
