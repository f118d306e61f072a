import { sql } from "kysely";
import { type Db, isoTime } from "../../database/schema.server.ts";
import type { Interaction } from "../../domain/review.ts";

const MIN_BURST = 6; // accounts within an hour
/** The largest bursts, and the first accounts of each: a flood fills neither memory nor screen. */
const BURSTS_SHOWN = 20;
const ACCOUNTS_SHOWN = 500;

/** Many reviews of one show within an hour, by accounts on their first day or without another review. */
export interface Burst {
  show: { id: string; title: string };
  size: number;
  from: string;
  to: string;
  /** The earliest first. */
  accounts: {
    id: string;
    email: string;
    days: number;
    reviews: number;
    interaction: Interaction;
    notes: string | null;
  }[];
}

/** Those of reviews since a time, at most one a show, the largest first (docs/product.md §13.33). */
export async function findBursts(db: Db, since: Date): Promise<Burst[]> {
  const { rows } = await sql<Burst>`
    with written as (
      select show_id, user_id, audience_interaction, notes, reviews.created_at, email, users.created_at as joined_at
      from present_reviews as reviews join users on users.id = user_id
      where reviews.created_at >= ${since} and counted and (
        reviews.created_at < users.created_at + interval '1 day'
        or not exists (select from reviews as others where others.user_id = users.id and others.show_id <> reviews.show_id))
    ), counted as (
      select *, count(*) over (partition by show_id order by created_at
        range between current row and interval '1 hour' following) as hour_from_here from written
    ), crowded as (
      select *, max(hour_from_here) over (partition by show_id order by created_at
        range between interval '1 hour' preceding and current row) as fullest_hour from counted
    ), numbered as (
      select *, row_number() over (partition by show_id order by created_at, user_id) as number
      from crowded where fullest_hour >= ${MIN_BURST}
    ), bursts as (
      select show_id, count(*)::integer as size, min(created_at) as first_at, max(created_at) as last_at
      from numbered group by show_id order by size desc, show_id limit ${BURSTS_SHOWN}
    )
    select json_build_object('id', shows.id, 'title', title) as show, size,
      ${isoTime("first_at")} as "from", ${isoTime("last_at")} as "to",
      (select json_agg(json_build_object('id', user_id, 'email', email, 'days', extract(day from now() - joined_at),
          'reviews', (select count(*) from present_reviews where present_reviews.user_id = numbered.user_id),
          'interaction', audience_interaction, 'notes', notes) order by number)
        from numbered where numbered.show_id = bursts.show_id and number <= ${ACCOUNTS_SHOWN}) as accounts
    from bursts join shows on shows.id = show_id order by size desc, show_id`.execute(db);
  return rows;
}
