import { sql } from "kysely";
import type { Db } from "../../src/database/schema.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import type { Counts } from "../../src/domain/review.ts";
import { type ListedShow, type ShowPage, showColumns } from "../../src/domain/show.ts";
import type { ShowQuery } from "../../src/domain/show-query.ts";
import { ticketPages } from "./programme.ts";

type Row = Omit<ListedShow, "reviews" | "last_year" | "has_namesake"> & {
  no: number;
  very_little: number;
  yes: number;
  latest_at: Date | null;
  revision: number;
  total: number;
  last_year: Counts | null;
  has_namesake: true | null;
};

/** Creates the collation and the functions with which `referenceList` sorts titles and compares texts. */
export async function createComparisons(db: Db): Promise<void> {
  await sql`
    create collation people (provider = icu, locale = 'en-u-ka-shifted-kn-ks-level1', deterministic = false);
    create function visible(value text) returns text language sql immutable as $$
      select trim(regexp_replace(regexp_replace(value, '[\u00ad\u200b\u200e\ufeff]', '', 'g'), '\\s+', ' ', 'g')) $$;
    -- An upper-case letter of the result may be left out; S is a space.
    create function folded(value text) returns text language sql immutable as $$
      with
        unquoted as (
          select replace(regexp_replace(visible(value), ${sql.lit("['’‘‚‛′ʼ´`]")}, '', 'g'), '″', '"') as text
        ),
        lowered as (select lower(normalize(text, nfkd) collate "und-x-icu") as text from unquoted),
        spelled as (
          select regexp_replace(replace(replace(text, 'a\u030a', 'aA'), 'ø', 'oE'), '([aou])\u0308', '\\1E', 'g') as text
          from lowered
        ),
        unaccented as (select regexp_replace(text, '[\u0300-\u036f]', '', 'g') as text from spelled),
        latin as (select translate(replace(replace(text, 'ß', 'ss'), 'æ', 'ae'), 'ςł', 'σl') as text from unaccented),
        inner_marks as (select regexp_replace(text, ${sql.lit(innerMarks)}, '\\1S', 'g') as text from latin),
        words as (select translate(text, ${sql.lit(marks)}, ${sql.lit(" ".repeat(marks.length))}) as text from inner_marks)
      select trim(regexp_replace(replace(text, '&', 'and'), '\\s+', ' ', 'g')) from words $$;
    create function name_of(value text) returns text language sql immutable as $$
      select coalesce(nullif(translate(folded(value), 'SAE', ' '), ''), value, '') $$;
    create function spellings(folded text) returns setof text language sql immutable as $$
      with recursive spelling (done, rest) as (
        select substring(folded from '^[^AES]*'), substring(folded from '^[^AES]*(.*)$')
        union
        select done || translate(substring(rest from kept), 'AES', 'ae ') || substring(rest from '^.([^AES]*)'),
          substring(rest from '^.[^AES]*(.*)$')
        from spelling, (values ('^()'), ('^(.)')) as choice (kept)
        where rest <> ''
      )
      select done from spelling where rest = '' $$;
    create function finds(search text, value text) returns boolean language sql immutable as $$
      select case
        when value is null then false
        when folded(search) = '' then strpos(visible(value), visible(search)) > 0
        else exists (select from spellings(folded(value)) v, spellings(folded(search)) s where strpos(v, s) > 0)
      end $$;
    create function title_key(title text) returns text language sql immutable as $$
      select regexp_replace(regexp_replace(title, ${sql.lit(groups(2))}, '\\1\\2\\3', 'g'), ${sql.lit(groups(1))}, '\\1\\2', 'g') $$;
  `.execute(db);
}

const marks = '"“”„‟‐‑‒–—―−-()[]{}!?:;,./…*';
const innerMarks = `([[:alnum:]])[${marks.replace(/[-[\]]/g, "\\$&")}]+(?=[[:alnum:]])`;
/** A number with so many groups of three digits after the first. */
const groups = (count: number) => `(?<![\\d,.])(\\d{1,3})${"[,'’\u00a0](\\d{3})".repeat(count)}(?!\\d)`;

/** A page of the list by the rules of docs/product.md §2, in SQL. Counts the reviews. */
export async function referenceList(db: Db, query: ShowQuery): Promise<ShowPage> {
  const addresses = ticketPages.find((page) => page.some((address) => query.search.endsWith(address))) ?? [];
  const { search, interaction, declared = null, yes = null, genre = null, show = null } = query;
  const page = async (number: number) =>
    (
      await sql<Row>`
        with reviewed as (
          select s.*,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'no') as no,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'very_little') as very_little,
            (select count(*)::int from reviews r where r.show_id = s.id and r.counted and r.audience_interaction = 'yes') as yes,
            (select max(r.created_at) from reviews r where r.show_id = s.id and r.counted) as latest_at,
            coalesce((select revision from tallies t where t.show_id = s.id), 0) as revision,
            case
              when s.warnings is null then 'unknown'
              when exists (select from unnest(s.warnings) w where w ilike 'audience participation') then 'yes'
              else 'no'
            end as announced,
            array(select w from unnest(s.warnings) w where w not ilike 'audience participation') as others,
            (
              select true from shows o
              where o.id <> s.id and o.listed and o.year = ${YEAR} and s.year = ${YEAR}
                and o.title = s.title collate people
                and coalesce(o.artist, '') = coalesce(s.artist, '') collate people
              limit 1
            ) as has_namesake,
            (
              select json_build_object('no', min(no), 'very_little', min(very_little), 'yes', min(yes))
              from (
                select count(*) filter (where r.audience_interaction = 'no') as no,
                  count(*) filter (where r.audience_interaction = 'very_little') as very_little,
                  count(*) filter (where r.audience_interaction = 'yes') as yes
                from shows b join reviews r on r.show_id = b.id and r.counted
                where b.year = ${YEAR - 1} and s.year = ${YEAR}
                  and name_of(b.title) = name_of(s.title) and name_of(b.artist) = name_of(s.artist)
                group by b.id
              ) as namesakes having count(*) = 1
            ) as last_year
          from shows s
          where s.year <= ${YEAR} and (s.listed or s.year < ${YEAR})
            and case when ${show}::text is null then s.year = ${YEAR} else s.id = ${show} end
        )
        select ${sql.raw(showColumns.join(", "))}, announced, others as warnings, no, very_little, yes, latest_at, revision, last_year, has_namesake,
          (count(*) over ())::int as total
        from reviewed
        where (${interaction.length} = 0 or exists (
            select from reviews r where r.show_id = reviewed.id and r.counted and r.audience_interaction = any (${interaction})))
          and (${declared}::text is null or announced = ${declared})
          and (${genre}::text is null or genre = ${genre})
          and (${yes}::text is null or (no + very_little + yes >= 5
            and case when ${yes} = 'none' then yes = 0 else yes > no + very_little end))
          and (${search} = '' or finds(${search}, title) or finds(${search}, artist) or finds(${search}, venue_name)
            or website = any (${addresses}))
        order by latest_at desc nulls last, title_key(title) collate people, id collate "C"
        limit 20 offset ${(number - 1) * 20}`.execute(db)
    ).rows;
  const first = await page(1);
  const total = first[0]?.total ?? 0;
  const number = Math.min(query.page, Math.max(1, Math.ceil(total / 20)));
  const shows = (number === 1 ? first : await page(number)).map(
    ({ no, very_little, yes, latest_at, revision, last_year, has_namesake, total: _, ...show }) => ({
      ...show,
      ...(has_namesake && { has_namesake }),
      ...(last_year && { last_year }),
      reviews: {
        no,
        very_little,
        yes,
        latest_at: latest_at?.toISOString() ?? null,
        revision,
        total: no + very_little + yes,
        few: no + very_little + yes < 5,
      },
    }),
  );
  return { year: YEAR, page: number, page_size: 20, total, shows };
}
