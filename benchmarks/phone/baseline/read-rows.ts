import { type Kysely, sql } from "kysely";
import type { Schema } from "../../../src/database/schema.server.ts";
import { PAGE_SIZE } from "../../../src/domain/show.ts";
import type { ReviewRow, Rows, ShowRow } from "./rows.ts";

/** What the specification's queries (§7) find for the first page: fields that are not shown are left out of the shows. */
export async function readRows(db: Kysely<Schema>): Promise<Rows> {
  const shows = await sql<ShowRow & { total: number }>`
    select id, title, website, artist, venue_name, genre, description, year, status, nested.reviews,
      count(*) over ()::integer as total
    from shows left join lateral (
      select json_agg(json_build_object('created_at', created_at, 'audience_interaction', audience_interaction)
          order by created_at desc) as reviews, max(created_at) as newest
      from reviews where show_id = shows.id
    ) nested on true
    where year = 2025 and listed order by newest desc nulls last, title limit ${PAGE_SIZE}`.execute(db);
  const reviews = await sql<ReviewRow>`select * from reviews`.execute(db);
  const [first] = shows.rows;
  if (!first) throw new Error("There is no show to show");
  return { shows: shows.rows.map(({ total: _, ...show }) => show), total: first.total, reviews: reviews.rows };
}
