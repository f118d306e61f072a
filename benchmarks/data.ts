import pg from "pg";
import { pino } from "pino";
import { type Database, openDatabase } from "../src/database/open.server.ts";
import { YEAR } from "../src/domain/programme.ts";
import { showColumns } from "../src/domain/show.ts";

/**
 * The database in a data folder, with a pool that has no time limit for statements. Where no app runs there,
 * its server is started. Everything ends with the stack.
 */
export async function openData(dataDir: string, running: AsyncDisposableStack): Promise<Database> {
  const log = pino({ level: "silent" });
  const database = await openDatabase({ databaseUrl: undefined, dataDir, log, sharing: "join" });
  running.defer(database.close);
  const pool = new pg.Pool({ connectionString: database.url });
  // The server may end before a connection does.
  pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  running.defer(() => pool.end());
  return { ...database, pool };
}

/** Copies existing shows until there are `total`. */
export async function growShows(pool: pg.Pool, total: number): Promise<void> {
  const others = [
    ...showColumns.filter((name) => name !== "id" && name !== "title"),
    "venue_address",
    "performances",
  ].join(", ");
  await pool.query(
    `insert into shows (id, title, ${others})
     select left(md5(id || copy) || md5(copy || id), 40), title || ' ' || copy, ${others}
     from shows cross join generate_series(1, 100) as copy where listed
     order by copy, id limit $1::integer - (select count(*) from shows where listed)`,
    [total],
  );
}

/**
 * Adds reviews until there are `total`, the same ones each time. They are spread unevenly: a few shows have
 * thousands, most a handful, one in ten none. Half have notes. Each invented critic writes about twenty.
 */
export async function fillReviews(pool: pg.Pool, total: number): Promise<void> {
  const critics = Math.ceil(total / 20);
  await pool.query(
    "insert into users (email) select 'critic-' || n || '@people.example' from generate_series(1, $1::integer) n",
    [critics],
  );
  // 7919 divides no number of critics, so that no critic reviews a show twice.
  await pool.query(
    `insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
     with needed as (select $1::integer - count(*) as reviews from reviews),
     critics as (
       select id, substring(email from '\\d+')::integer - 1 as number from users where email ~ '^critic-\\d+@'
     ),
     ranked as (
       select id, count(*) over () as shows, row_number() over (order by md5(id)) as rank from shows
       where listed and status = 'active'
     ),
     weighted as (select id, power(rank + shows / 200.0, -1.2) as weight from ranked where rank <= shows * 0.9),
     wanted as (
       select id, ceil(1.02 * reviews * weight / sum(weight) over ())::integer as reviews, hashtext(id) & 65535 as seed
       from weighted cross join needed
     ),
     drawn as (
       select id, seed, (seed + n * 7919) % $2::integer as critic,
         hashtextextended(id || ' ' || n, 1) & 4611686018427387903 as draw
       from wanted cross join generate_series(1, reviews) as n
       order by draw limit (select reviews from needed)
     )
     select drawn.id, critics.id,
       (array['no', 'very_little', 'yes'])[1 + case when draw % 10 < 7 then seed else draw / 10 end % 3],
       case when draw / 31 % 2 = 0 then left(repeat('They asked us up, and we went. ', 3), 20 + (draw / 62 % 70)::integer) end,
       timestamptz '${YEAR}-08-01' + (draw / 97 % (27 * 86400000::bigint)) * interval '1 millisecond'
     from drawn join critics on critics.number = critic`,
    [total, critics],
  );
  await pool.query("vacuum (analyze)");
}
