import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { RevisedTallies } from "../reviews/review.ts";
import type { ReadShow } from "./build-show-list.server.ts";
import { YEAR } from "./show.ts";

/** Shows that are read at a time: the driver makes them objects at once, while everybody waits. */
const BATCH = 200;

/** The listed shows of the year, with what is in their JSON. */
const listed = sql`
  (select id, title, website, artist, venue_name, genre, description, year, status from shows
  where year = ${sql.lit(YEAR)} and listed) as show`;
/** PostgreSQL writes JSON as JavaScript does, and it is never an object here. As text: the driver would read JSON. */
const showColumns = sql`id, title, artist, venue_name, row_to_json(show)::text as json`;
const latestAt = sql<string | null>`to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Every listed show of the year alone, in no order, some at a time. */
export function readListedShows(db: Kysely<Schema>): AsyncGenerator<ReadShow[]> {
  return readInBatches<ReadShow>(db, sql`select ${showColumns} from ${listed}`);
}

/** Every listed show of the year with its tallies, in no order, some at a time, all of one moment. */
export async function* readReviewedShows(db: Kysely<Schema>): AsyncGenerator<ReadShow[]> {
  const query = sql`
    select ${showColumns}, coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes,
      ${latestAt} as latest_at, coalesce(revision, 0) as revision
    from ${listed} left join tallies on show_id = id`;
  for await (const rows of readInBatches<ReadShow & RevisedTallies>(db, query)) {
    for (const row of rows) row.reviews = talliesOf(row);
    yield rows;
  }
}

/**
 * What a query answers, some rows at a time: the next are on their way while the last are looked at. They are there until the next ones
 * are asked for.
 */
async function* readInBatches<Row>(db: Kysely<Schema>, query: ReturnType<typeof sql>): AsyncGenerator<Row[]> {
  const trx = await db.startTransaction().execute();
  let next: Promise<Row[]> | undefined;
  const fetch = () => {
    const rows = sql<Row>`fetch ${sql.lit(BATCH)} from batches`.execute(trx).then((result) => result.rows);
    rows.catch(() => {}); // whoever awaits it hears of it
    return rows;
  };
  try {
    // All rows will be fetched: plan for that, and not for the first of them. The tallies of very many shows take more than
    // PostgreSQL's 4 MB; without room for them it writes the shows themselves to disk to join them.
    await sql`select set_config('cursor_tuple_fraction', '1', true), set_config('work_mem', '64MB', true)`.execute(trx);
    await sql`declare batches no scroll cursor for ${query}`.execute(trx);
    for (next = fetch(); ; ) {
      const rows = await next;
      if (rows.length === 0) return;
      next = fetch();
      yield rows;
      // The promises of one query after the other hold on to each other, and to their rows: all would be there until V8 looks at
      // everything, and be copied again and again until then.
      rows.length = 0;
    }
  } finally {
    await next?.catch(() => {});
    await trx.rollback().execute();
  }
}

function talliesOf({ no, very_little, yes, latest_at, revision }: RevisedTallies): RevisedTallies {
  return { no, very_little, yes, latest_at, revision };
}
