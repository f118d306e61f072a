/*
 * The specification's own way (its §7), as a hosted backend would answer it: shows joined with their reviews and counted
 * exactly, then all fields of all reviews. PostgreSQL writes the JSON, and this passes it on.
 */
import { createServer } from "node:http";
import pg from "pg";
import { readShowQuery, type ShowQuery } from "../../src/domain/show-query.ts";
import { databaseUrl, sendFailure, sendJson, serve } from "./serve.ts";

const pool = new pg.Pool({ connectionString: databaseUrl(), max: 10 });

serve(
  createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const answer = pathname === "/reviews" ? findReviews() : findShows(readShowQuery(searchParams));
    answer.then(
      (text) => sendJson(response, text),
      (error) => sendFailure(response, error),
    );
  }),
);

async function findShows({ search, interaction, page }: ShowQuery): Promise<string> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const { rows } = await pool.query<{ body: string }>(
    `with dated as (
      select id, (
        select max(created_at) from reviews
        where show_id = shows.id and (cardinality($2::text[]) = 0 or audience_interaction = any ($2))) as latest_at
      from shows
      where year = 2025 and listed and ($1 = '%%' or title ilike $1 or artist ilike $1 or venue_name ilike $1)
    ),
    matching as (select * from dated where cardinality($2) = 0 or latest_at is not null)
    select json_build_object('count', (select count(*) from matching), 'data', (
      select coalesce(json_agg(json_build_object('id', id, 'title', title, 'website', website, 'artist', artist,
        'venue_name', venue_name, 'genre', genre, 'description', description, 'year', year, 'reviews', (
          select json_agg(json_build_object('created_at', created_at, 'audience_interaction', audience_interaction)
            order by created_at desc)
          from reviews where show_id = page.id))), '[]')
      from (
        select shows.*, latest_at from matching join shows using (id)
        order by latest_at desc nulls last, title limit 20 offset $3) as page))::text as body`,
    [pattern, interaction, (page - 1) * 20],
  );
  return rows[0]?.body ?? "";
}

async function findReviews(): Promise<string> {
  const { rows } = await pool.query<{ body: string }>(
    `select coalesce(json_agg(json_build_object('show_id', show_id, 'user_id', user_id,
      'audience_interaction', audience_interaction, 'notes', notes, 'created_at', created_at)), '[]')::text as body from reviews`,
  );
  return rows[0]?.body ?? "";
}
