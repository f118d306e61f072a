import pg from "pg";
import { type Copy, inOneMoment } from "../database/one-moment.server.ts";
import { YEAR } from "../domain/show.ts";
import {
  FOUND_BY_END,
  type ReadShow,
  type ReadTallies,
  type ShowDigest,
  type ShowSource,
} from "./show-source.server.ts";

/** The listed shows of the year, with what is in their JSON. */
const listed = `
  (select id, title, website, artist, venue_name, genre, description, year, status from shows
  where year = ${YEAR} and listed) as show`;
/** As an integer below a power of two: up to 2⁵³ it is one to JavaScript, too. */
const digestOf = (record: string, end: number) => `(hash_record_extended(${record}, 0) & ${end - 1})::float8`;
const digests = `id, ${digestOf("show", 2 ** 53)}, ${digestOf("row(id, title, artist, venue_name)", FOUND_BY_END)}`;
/** PostgreSQL writes JSON as JavaScript does. */
const shows = `select ${digests}, title, artist, venue_name, row_to_json(show)::text from ${listed}`;
const latestAt = `to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** How many ids a query may name. */
const MOST_IDS = 1_000;

/** Lets `read` read the shows and tallies that are in the database at one moment. Answers what it answers. */
export function readInOneMoment<T>(
  databaseUrl: string,
  read: (source: Required<ShowSource>) => Promise<T>,
): Promise<T> {
  return inOneMoment(databaseUrl, (copy) =>
    read({
      digests: () => copyDigests(copy),
      shows: (ids) => (ids ? copySome(copy, ids) : copyShows(copy, shows)),
      tallies: () => copyTallies(copy),
    }),
  );
}

function copyDigests(copy: Copy): AsyncIterable<ShowDigest[]> {
  return copy(`select ${digests} from ${listed}`, (columns) => ({
    id: columns.text(),
    digest: columns.float(),
    foundBy: columns.float(),
  }));
}

/** The shows of some ids. */
async function* copySome(copy: Copy, ids: readonly string[]): AsyncGenerator<ReadShow[]> {
  for (let start = 0; start < ids.length; start += MOST_IDS) {
    const some = ids.slice(start, start + MOST_IDS).map((id) => pg.escapeLiteral(id));
    yield* copyShows(copy, `${shows} where id in (${some.join(", ")})`);
  }
}

function copyShows(copy: Copy, query: string): AsyncIterable<ReadShow[]> {
  return copy(query, (columns) => ({
    id: columns.text(),
    digest: columns.float(),
    foundBy: columns.float(),
    title: columns.text(),
    artist: columns.textOrNull(),
    venue_name: columns.textOrNull(),
    json: columns.bytes(),
  }));
}

function copyTallies(copy: Copy): AsyncIterable<ReadTallies[]> {
  return copy(`select show_id, no, very_little, yes, ${latestAt}, revision from tallies`, (columns) => ({
    show_id: columns.text(),
    no: columns.integer(),
    very_little: columns.integer(),
    yes: columns.integer(),
    latest_at: columns.textOrNull(),
    revision: columns.integer(),
  }));
}
