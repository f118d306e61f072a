/*
 * A sorted snapshot in memory: every request looks at every show, one after the other, and turns what it found into JSON
 * again. Nothing keeps it up to date here.
 */
import { createServer } from "node:http";
import pg from "pg";
import { fold } from "../../src/catalogue/search-text.ts";
import { byTitle } from "../../src/catalogue/title-collation.ts";
import { type Answer, answers } from "../../src/domain/review.ts";
import type { ListedShow, ShowPage } from "../../src/domain/show.ts";
import { readShowQuery, type ShowQuery } from "../../src/domain/show-query.ts";
import { databaseUrl, sendJson, serve } from "./serve.ts";

interface Entry {
  show: ListedShow;
  text: string;
  given: Answer[];
}

const entries = await readEntries();

serve(
  createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    sendJson(response, JSON.stringify(findPage(readShowQuery(searchParams))));
  }),
);

function findPage({ search, interaction, page }: ShowQuery): ShowPage {
  const text = fold(search);
  const matches = ({ given, text: own }: Entry) =>
    (interaction.length === 0 || interaction.some((answer) => given.includes(answer))) && own.includes(text);
  const found = search || interaction.length > 0 ? entries.filter(matches) : entries;
  const number = Math.min(page, Math.max(1, Math.ceil(found.length / 20)));
  const shows = found.slice((number - 1) * 20, number * 20).map(({ show }) => show);
  return { year: 2025, page: number, page_size: 20, total: found.length, shows };
}

type Row = Omit<ListedShow, "reviews"> & Record<Answer, number> & { latest_at: Date | null };

async function readEntries(): Promise<Entry[]> {
  const client = new pg.Client({ connectionString: databaseUrl() });
  await client.connect();
  const { rows } = await client.query<Row>(`
    select id, title, website, artist, venue_name, genre, description, year, status,
      coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes, latest_at
    from shows left join tallies on tallies.show_id = shows.id where shows.listed and year = 2025`);
  await client.end();
  return rows
    .sort((a, b) => (b.latest_at?.getTime() ?? 0) - (a.latest_at?.getTime() ?? 0) || byTitle(a, b))
    .map(({ no, very_little, yes, latest_at, ...show }) => {
      const reviews = { no, very_little, yes, latest_at: latest_at?.toISOString() ?? null };
      const text = [show.title, show.artist ?? "", show.venue_name ?? ""].map(fold).join("\0");
      return { show: { ...show, reviews }, text, given: answers.filter((answer) => reviews[answer] > 0) };
    });
}
