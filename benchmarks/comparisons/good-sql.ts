/*
 * Good SQL: what somebody who knows PostgreSQL would build. The tallies and the folded search text stand in the shows' own
 * rows, shows are counted beforehand by the answers that they were given, the list's order is an index, searches have a trigram
 * index, one prepared statement answers a page, and PostgreSQL writes the JSON.
 */
import { createServer } from "node:http";
import pg from "pg";
import { fold } from "../../src/catalogue/search-text.ts";
import { readShowQuery, type ShowQuery } from "../../src/domain/show-query.ts";
import { databaseUrl, sendFailure, sendJson, serve } from "./serve.ts";

const pool = new pg.Pool({ connectionString: databaseUrl(), max: 10 });
await prepare();

serve(
  createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    findPage(readShowQuery(searchParams)).then(
      (text) => sendJson(response, text),
      (error) => sendFailure(response, error),
    );
  }),
);

const bits = { no: 1, very_little: 2, yes: 4 };

/** The page as JSON, as `GET /api/shows` has it. Each shape of question is a statement of its own, so that each has its plan. */
async function findPage({ search, interaction, page }: ShowQuery): Promise<string> {
  const conditions = ["true"];
  const values: (string | number)[] = [page];
  const text = fold(search);
  // An index of three letters has nothing to say about fewer, and would be looked through in vain.
  if (text.length >= 3) conditions.push(`search_text like $${values.push(`%${text.replaceAll(/[\\%_]/g, "\\$&")}%`)}`);
  else if (text) conditions.push(`strpos(search_text, $${values.push(text)}) > 0`);
  if (interaction.length > 0) {
    conditions.push(
      `given & $${values.push(interaction.reduce((sum, answer) => sum | bits[answer], 0))}::integer <> 0`,
    );
  }
  const where = conditions.join(" and ");
  const count = text
    ? `select count(*)::integer as total from good_sql.shows where ${where}`
    : `select coalesce(sum(shows), 0)::integer as total from good_sql.counts where ${where}`;
  const { rows } = await pool.query<{ page: string }>({
    name: `${Math.min(text.length, 3)} letters, ${interaction.length > 0 ? "filtered" : "all"}`,
    text: pageStatement(where, count),
    values,
  });
  return rows[0]?.page ?? "";
}

function pageStatement(where: string, count: string): string {
  return `
    with counted as (${count}),
    asked as (select total, least($1::bigint, greatest(1, ceil(total / 20.0)))::integer as page from counted)
    select json_build_object('year', 2025, 'page', page, 'page_size', 20, 'total', total, 'shows', coalesce((
      select json_agg(json_build_object('id', id, 'title', title, 'website', website, 'artist', artist,
        'venue_name', venue_name, 'genre', genre, 'description', description, 'year', year, 'status', status,
        'reviews', json_build_object('no', no, 'very_little', very_little, 'yes', yes,
          'latest_at', to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))))
      from (
        select * from good_sql.shows where ${where}
        order by latest_at desc nulls last, title collate good_sql.people, id
        limit 20 offset (asked.page - 1) * 20
      ) as shown), '[]'))::text as page
    from asked`;
}

/** Copies what the product has stored into tables of its own kind. Nothing keeps them: they are only read here. */
async function prepare(): Promise<void> {
  await pool.query(`
    drop schema if exists good_sql cascade;
    create schema good_sql;
    create extension if not exists pg_trgm;
    create collation good_sql.people (provider = icu, locale = 'en-u-ka-shifted-kn-ks-level1', deterministic = false);
    create table good_sql.shows as
      select shows.id, title, website, artist, venue_name, genre, description, year, status,
        coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes, latest_at,
        (coalesce(no, 0) > 0)::integer + (coalesce(very_little, 0) > 0)::integer * 2 + (coalesce(yes, 0) > 0)::integer * 4 as given,
        ''::text as search_text
      from shows left join tallies on tallies.show_id = shows.id where shows.listed and year = 2025;
    alter table good_sql.shows add primary key (id)`);
  const { rows } = await pool.query<Record<"id" | "title" | "artist" | "venue_name", string>>(
    "select id, title, coalesce(artist, '') as artist, coalesce(venue_name, '') as venue_name from good_sql.shows",
  );
  const texts = rows.map(({ title, artist, venue_name }) => [title, artist, venue_name].map(fold).join("\u0001"));
  await pool.query(
    `update good_sql.shows set search_text = told.search_text
     from unnest($1::text[], $2::text[]) as told (id, search_text) where told.id = shows.id`,
    [rows.map(({ id }) => id), texts],
  );
  await pool.query(`
    create index on good_sql.shows (latest_at desc nulls last, title collate good_sql.people, id);
    create index on good_sql.shows using gin (search_text gin_trgm_ops);
    create table good_sql.counts as select given, count(*) as shows from good_sql.shows group by given`);
  await pool.query("vacuum (full, analyze) good_sql.shows");
}
