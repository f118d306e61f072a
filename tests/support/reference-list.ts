import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import type { ListedShow, ShowPage } from "../../src/domain/show.ts";
import type { ShowQuery } from "../../src/domain/show-query.ts";

type Row = Omit<ListedShow, "reviews"> & {
  no: number;
  very_little: number;
  yes: number;
  latest_at: Date | null;
  total: number;
};

/** Creates the collation and the function with which `referenceList` sorts titles and compares texts. */
export async function createComparisons(db: Kysely<Schema>): Promise<void> {
  await sql`
    create collation people (provider = icu, locale = 'en-u-ka-shifted-kn-ks-level1', deterministic = false);
    create function folded(value text) returns text language sql immutable as $$
      with
        visible as (select regexp_replace(value, '[\u00ad\u200b\u200e]', '', 'g') as text),
        plain as (
          select translate(text, ${sql.lit("‘’‚‛′ʼ´`“”„‟″‐‑‒–—―−")}, ${sql.lit("''''''''\"\"\"\"\"-------")}) as text
          from visible
        ),
        unaccented as (select regexp_replace(normalize(text, nfkd), '[\u0300-\u036f]', '', 'g') as text from plain),
        lowered as (select normalize(lower(text collate "und-x-icu"), nfc) as text from unaccented),
        latin as (select translate(replace(replace(text, 'ß', 'ss'), 'æ', 'ae'), 'ςøł', 'σol') as text from lowered)
      select trim(regexp_replace(replace(text, '&', 'and'), '\\s+', ' ', 'g')) from latin $$;
  `.execute(db);
}

/** A page of the list by the rules of docs/product.md §2, in SQL. Tallies are counted from the reviews. */
export async function referenceList(db: Kysely<Schema>, query: ShowQuery): Promise<ShowPage> {
  const { search, interaction, announced = null } = query;
  const page = async (number: number) =>
    (
      await sql<Row>`
        with reviewed as (
          select s.*,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'no') as no,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'very_little') as very_little,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'yes') as yes,
            (select max(r.created_at) from reviews r where r.show_id = s.id and r.counted) as latest_at,
            case
              when s.warnings is null then 'unknown'
              when exists (select from unnest(s.warnings) w where w ilike 'audience participation') then 'yes'
              else 'no'
            end as announced
          from shows s
          where s.year = 2025 and s.listed
        )
        select id, title, website, artist, venue_name, genre, description, year, status, announced, no, very_little, yes,
          latest_at,
          (count(*) over ())::int as total
        from reviewed
        where (${interaction.length} = 0 or exists (
            select from reviews r where r.show_id = reviewed.id and r.counted and r.audience_interaction = any (${interaction})))
          and (${announced}::text is null or announced = ${announced})
          and (strpos(folded(title), folded(${search})) > 0
            or strpos(folded(artist), folded(${search})) > 0
            or strpos(folded(venue_name), folded(${search})) > 0)
        order by latest_at desc nulls last, title collate people, id collate "C"
        limit 20 offset ${(number - 1) * 20}`.execute(db)
    ).rows;
  const first = await page(1);
  const total = first[0]?.total ?? 0;
  const number = Math.min(query.page, Math.max(1, Math.ceil(total / 20)));
  const shows = (number === 1 ? first : await page(number)).map(
    ({ no, very_little, yes, latest_at, total: _, ...show }) => ({
      ...show,
      reviews: {
        no,
        very_little,
        yes,
        latest_at: latest_at?.toISOString() ?? null,
        total: no + very_little + yes,
        few: no + very_little + yes < 5,
      },
    }),
  );
  return { year: 2025, page: number, page_size: 20, total, shows };
}
