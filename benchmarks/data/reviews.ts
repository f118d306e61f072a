import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";

/** How many reviews one of the invented critics writes. */
const EACH = 20;

/** No multiple of it is a number of critics, so that stepping by it meets each of them once. */
const STEP = 7919;

/**
 * Adds invented reviews, by people invented for it, until there are so many; the same ones each time. They are spread unevenly: a few
 * shows have hundreds, most a handful, one in ten none that is added here. Half of them have notes, taken from those that are there.
 */
export async function fillReviews(db: Kysely<Schema>, total: number): Promise<void> {
  const critics = Math.ceil(total / EACH);
  await sql`insert into users (email) select 'critic-' || n || '@people.example' from generate_series(1, ${critics}::integer) n`.execute(
    db,
  );
  await sql`
    insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    with needed as (select ${total} - count(*) as reviews from reviews),
    critics as (
      select id, substring(email from '\\d+')::integer - 1 as number from users where email ~ '^critic-\\d+@'
    ),
    ranked as (
      select id, count(*) over () as shows, row_number() over (order by md5(id)) as rank from shows
      where listed and status = 'active'
    ),
    weighted as (select id, power(rank + shows / 200.0, -1.2) as weight from ranked where rank <= shows * 0.9),
    wanted as (
      select id, ceil(1.02 * reviews * weight / sum(weight) over ())::integer as reviews, hashtext(id) & 65535 as draw
      from weighted cross join needed
    ),
    drawn as (
      select id, wanted.draw % 3 as leaning, (wanted.draw + n * ${STEP}) % ${critics} as critic,
        hashtextextended(id || ' ' || n, 1) & 4611686018427387903 as draw
      from wanted cross join generate_series(1, reviews) as n
      order by draw limit (select reviews from needed)
    ),
    answered as (
      select *, (array['no', 'very_little', 'yes'])[1 + case when draw % 10 < 7 then leaning else draw / 10 % 3 end] as answer,
        timestamptz '2025-08-01' + (draw / 97 % (27 * 86400000::bigint)) * interval '1 millisecond' as at
      from drawn
    ),
    phrases as (
      select audience_interaction as answer, notes,
        row_number() over (partition by audience_interaction order by created_at, user_id) as number
      from reviews where notes is not null
    )
    select answered.id, critics.id, answered.answer, phrases.notes, at
    from answered join critics on critics.number = critic
    left join phrases on phrases.answer = answered.answer and phrases.number <= 500 and phrases.number = draw / 31 % 1000
    order by at`.execute(db);
}
