/*
 * Good SQL: the tallies and the folded search text stand in the shows' own rows, the list's order is an
 * index, searches have a trigram index, one prepared statement answers a page, and PostgreSQL writes the
 * JSON.
 */

import { hash } from "node:crypto";
import { foldForSearch, foldLiterally } from "../../src/catalogue/search-folding.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { showColumns } from "../../src/domain/show.ts";
import { pool, serveJson } from "./serve.ts";

// A copy that nothing keeps up to date: it is only read. Texts are folded as the product does.
await pool.query(String.raw`
  drop schema if exists good_sql cascade;
  create schema good_sql;
  create extension if not exists pg_trgm;
  create collation good_sql.people (provider = icu, locale = 'en-u-ka-shifted-kn-ks-level1', deterministic = false);
  create table good_sql.shows as
    select ${showColumns.map((name) => `shows.${name}`).join(", ")},
      case when warnings is null then 'unknown'
        when exists (select from unnest(warnings) as phrase where lower(trim(phrase)) = 'audience participation') then 'yes'
        else 'no' end as announced,
      array(select phrase from unnest(warnings) as phrase where lower(trim(phrase)) <> 'audience participation') as warnings,
      coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes, latest_at,
      (coalesce(no, 0) > 0)::integer + (coalesce(very_little, 0) > 0)::integer * 2 + (coalesce(yes, 0) > 0)::integer * 4
        as given,
      concat_ws(E'\u0001', title, artist, venue_name) collate "C" as plain_text, ''::text collate "C" as search_text
    from shows left join tallies on tallies.show_id = shows.id where shows.listed and year = ${YEAR}`);
const { rows: texts } = await pool.query<{ id: string; plain_text: string }>(
  "select id, plain_text from good_sql.shows",
);
await pool.query(
  `update good_sql.shows set search_text = folded.text
    from unnest($1::text[], $2::text[]) as folded (id, text) where folded.id = shows.id`,
  [
    texts.map(({ id }) => id),
    texts.map(({ plain_text }) => spellings(foldForSearch(plain_text)).join("\u0001")),
  ],
);
await pool.query(`
  create index on good_sql.shows (latest_at desc nulls last, title collate good_sql.people, id);
  create index on good_sql.shows using gin (search_text gin_trgm_ops)`);
await pool.query("vacuum analyze good_sql.shows");

const bits: Record<string, number> = { no: 1, very_little: 2, yes: 4 };

/** The page as `GET /api/shows` has it. Each kind of query is a statement of its own, with its own plan. */
serveJson(async ({ searchParams }) => {
  const conditions = ["true"];
  const values: (string | number)[] = [Number(searchParams.get("page") ?? 1)];
  const text = (searchParams.get("search") ?? "").trim();
  const folded = foldForSearch(text);
  const place = (value: string) => `$${values.push(value)}`;
  // A trigram index is no help for fewer than three letters.
  const contains = (value: string) =>
    value.length >= 3
      ? `search_text like '%' || ${place(value.replaceAll(/[\\%_]/g, "\\$&"))} || '%'`
      : `strpos(search_text, ${place(value)}) > 0`;
  if (folded !== "") conditions.push(`(${spellings(folded).map(contains).join(" or ")})`);
  else if (text) conditions.push(`strpos(plain_text, ${place(foldLiterally(text))}) > 0`);
  const given = searchParams.getAll("interaction").reduce((sum, answer) => sum | (bits[answer] ?? 0), 0);
  if (given) conditions.push(`given & $${values.push(given)}::integer <> 0`);
  const announced = searchParams.get("announced");
  if (announced) conditions.push(`announced = $${values.push(announced)}`);
  const where = conditions.join(" and ");
  const { rows } = await pool.query<{ page: string }>({
    name: hash("md5", where),
    text: pageStatement(where),
    values,
  });
  return rows[0]?.page ?? "";
});

/** All that a folded text may be written as: its letters A and E may be left out, its S are spaces or nothing. */
function spellings(folded: string): string[] {
  const texts = folded.includes("S") ? [folded.replaceAll("S", " "), folded.replaceAll("S", "")] : [folded];
  return texts.flatMap((text) =>
    text
      .split(/(?=[AE])/)
      .reduce(
        (starts, part) =>
          starts.flatMap((start) =>
            /^[AE]/.test(part) ? [start + part.slice(1), start + part.toLowerCase()] : [start + part],
          ),
        [""],
      ),
  );
}

function pageStatement(where: string): string {
  return `
    with counted as (select count(*)::integer as total from good_sql.shows where ${where}),
    asked as (select total, least($1::bigint, greatest(1, ceil(total / 20.0)))::integer as page from counted)
    select json_build_object('year', ${YEAR}, 'page', page, 'page_size', 20, 'total', total, 'shows', coalesce((
      select json_agg(json_build_object(${showColumns.map((name) => `'${name}', ${name}`).join(", ")}, 'announced', announced, 'warnings', warnings,
        'reviews', json_build_object('no', no, 'very_little', very_little, 'yes', yes,
          'latest_at', to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'total', no + very_little + yes, 'few', no + very_little + yes < 5)))
      from (
        select * from good_sql.shows where ${where}
        order by latest_at desc nulls last, title collate good_sql.people, id
        limit 20 offset (asked.page - 1) * 20
      ) as shown), '[]'))::text as page
    from asked`;
}
