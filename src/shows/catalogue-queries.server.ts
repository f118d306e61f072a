import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import { YEAR } from "./show.ts";
import type { ReadShow, ReadTallies, ShowDigest, ShowSource } from "./show-source.server.ts";

/** Rows that are read at a time: the driver makes them objects at once, while everybody waits. */
const BATCH = 200;

/** The listed shows of the year, with what is in their JSON. */
const listed = sql`
  (select id, title, website, artist, venue_name, genre, description, year, status from shows
  where year = ${sql.lit(YEAR)} and listed) as show`;
/** As an integer that is one to JavaScript, too. */
const digest = sql`(hash_record_extended(show, 0) & ${sql.lit(Number.MAX_SAFE_INTEGER)})::float8 as digest`;
/** PostgreSQL writes JSON as JavaScript does, and it is never an object here. As text: the driver would read JSON. */
const columns = sql`id, ${digest}, title, artist, venue_name, row_to_json(show)::text as json`;
const latestAt = sql`to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as latest_at`;

/** Lets `read` read the shows and tallies that are in the database at one moment. Answers what it answers. */
export async function readInOneMoment<T>(
  db: Kysely<Schema>,
  read: (source: Required<ShowSource>) => Promise<T>,
): Promise<T> {
  const trx = await db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute();
  try {
    return await read({
      digests: () => readAll<ShowDigest>(trx, sql`select id, ${digest} from ${listed}`),
      shows: (ids) => (ids ? readSome(trx, ids) : readAll<ReadShow>(trx, sql`select ${columns} from ${listed}`)),
      tallies: () =>
        readAll<ReadTallies>(trx, sql`select show_id, no, very_little, yes, ${latestAt}, revision from tallies`),
    });
  } finally {
    await trx.rollback().execute();
  }
}

/** The shows of some ids. */
async function* readSome(trx: Transaction<Schema>, ids: readonly string[]): AsyncGenerator<ReadShow[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    const some = ids.slice(start, start + BATCH);
    const { rows } = await sql<ReadShow>`select ${columns} from ${listed} where id = any(${some}::text[])`.execute(trx);
    yield rows;
  }
}

/**
 * What a query answers, some rows at a time: the next are on their way while the last are looked at. They are there until the next ones
 * are asked for.
 */
async function* readAll<Row>(trx: Transaction<Schema>, query: ReturnType<typeof sql>): AsyncGenerator<Row[]> {
  let next: Promise<Row[]> | undefined;
  const fetch = () => {
    const rows = sql<Row>`fetch ${sql.lit(BATCH)} from batches`.execute(trx).then((result) => result.rows);
    rows.catch(() => {}); // whoever awaits it hears of it
    return rows;
  };
  try {
    await sql`declare batches no scroll cursor for ${query}`.execute(trx);
    for (next = fetch(); ; ) {
      const rows = await next;
      if (rows.length === 0) break;
      next = fetch();
      yield rows;
      // The promises of one query after the other hold on to each other, and to their rows: all would be there until V8 looks at
      // everything, and be copied again and again until then.
      rows.length = 0;
    }
    await sql`close batches`.execute(trx);
  } finally {
    await next?.catch(() => {});
  }
}
