import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { Tallies } from "../reviews/review.ts";
import { type ListedShow, type Show, showOf, YEAR } from "./show.ts";

/** Shows that are read at a time: the driver makes them objects at once, while everybody waits. */
const BATCH = 500;

const showColumns = sql`id, title, website, artist, venue_name, genre, description, year, status`;
const latestAt = sql<string | null>`to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const listed = sql`year = ${sql.lit(YEAR)} and listed`;

/** Every listed show of the year alone, in no order, some at a time. */
export function readListedShows(db: Kysely<Schema>): AsyncGenerator<Show[]> {
  return readInBatches<Show>(db, sql`select ${showColumns} from shows where ${listed}`);
}

/** Every listed show of the year with its tallies, in no order, some at a time, all of one moment. */
export async function* readReviewedShows(db: Kysely<Schema>): AsyncGenerator<ListedShow[]> {
  const query = sql`
    select ${showColumns}, coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes,
      ${latestAt} as latest_at
    from shows left join tallies on show_id = id where ${listed}`;
  for await (const rows of readInBatches<Show & Tallies>(db, query)) {
    yield rows.map((row) => ({ ...showOf(row), reviews: talliesOf(row) }));
  }
}

/** What a query answers, some rows at a time: the next are on their way while the last are looked at. */
async function* readInBatches<Row>(db: Kysely<Schema>, query: ReturnType<typeof sql>): AsyncGenerator<Row[]> {
  const trx = await db.startTransaction().execute();
  let next: Promise<Row[]> | undefined;
  const fetch = () => {
    const rows = sql<Row>`fetch ${sql.lit(BATCH)} from batches`.execute(trx).then((result) => result.rows);
    rows.catch(() => {}); // whoever awaits it hears of it
    return rows;
  };
  try {
    // All rows will be fetched: plan for that, and not for the first of them.
    await sql`set local cursor_tuple_fraction = 1`.execute(trx);
    await sql`declare batches no scroll cursor for ${query}`.execute(trx);
    for (next = fetch(); ; ) {
      const rows = await next;
      if (rows.length === 0) return;
      next = fetch();
      yield rows;
    }
  } finally {
    await next?.catch(() => {});
    await trx.rollback().execute();
  }
}

/** Tallies of shows by id. A show that never had a review has none. */
export async function findTallies(db: Kysely<Schema>, showIds: readonly string[]): Promise<Map<string, Tallies>> {
  const rows = await db
    .selectFrom("tallies")
    .select(["show_id", "no", "very_little", "yes", latestAt.as("latest_at")])
    .where("show_id", "in", showIds)
    .execute();
  return new Map(rows.map((row) => [row.show_id, talliesOf(row)]));
}

function talliesOf({ no, very_little, yes, latest_at }: Tallies): Tallies {
  return { no, very_little, yes, latest_at };
}
