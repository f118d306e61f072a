/*
 * The specification's own way (its section 7), as a hosted backend answers it: all fields of the shows of a
 * page with their nested reviews and an exact count, and all fields of all reviews.
 */
import { YEAR } from "../../src/domain/programme.ts";
import { pool, serveJson } from "./serve.ts";

const shows = `
  with dated as (
    select id, (select max(created_at) from reviews where show_id = shows.id) as latest_at
    from shows where year = ${YEAR} and listed
  )
  select json_build_object('total', (select count(*) from dated), 'shows', (
    select json_agg(page) from (
      select shows.*, (
        select json_agg(json_build_object('created_at', created_at, 'audience_interaction', audience_interaction)
          order by created_at desc)
        from reviews where show_id = shows.id) as reviews
      from dated join shows using (id)
      order by latest_at desc nulls last, title limit 20 offset $1) as page))::text as json`;

const reviews = "select json_agg(reviews)::text as json from reviews";

serveJson(async ({ pathname, searchParams }) => {
  const offset = (Number(searchParams.get("page")) - 1) * 20;
  const { rows } = pathname === "/reviews" ? await pool.query(reviews) : await pool.query(shows, [offset]);
  return String(rows[0].json);
});
