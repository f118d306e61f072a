import { type Db, isoTime } from "../database/schema.server.ts";
import { declaredBy } from "../domain/declared.ts";
import { YEAR } from "../domain/programme.ts";
import type { Tallies } from "../domain/review.ts";
import { type Show, showColumns } from "../domain/show.ts";

export interface Snapshot {
  /** The listed shows of the festival year, and all of earlier years. */
  shows: SnapshotShow[];
  /** The tallies of reviewed shows, also of unlisted ones. Null if they were not read. */
  tallies: (Tallies & { show_id: string })[] | null;
  /** Stored shows that have no page. */
  unlisted?: Pick<Show, "id" | "title">[];
}

export interface SnapshotShow {
  show: Show;
  metadata: ShowMetadata;
}

/** All null for shows of earlier years. */
export interface ShowMetadata {
  address: string | null;
  /** `start/minutes` of each, joined by semicolons, in Edinburgh's local time. */
  performances: string | null;
}

export function readSnapshot(db: Db): Promise<Snapshot> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => ({ ...(await readShowsAlone(trx)), tallies: await findTallies(trx) }));
}

/** The fallback when tallies cannot be read (docs/product.md §8.3). */
export async function readShowsAlone(db: Db): Promise<Snapshot> {
  return { shows: await findShownShows(db), tallies: null, unlisted: await findUnlistedShows(db) };
}

function findUnlistedShows(db: Db) {
  return db
    .selectFrom("shows")
    .select(["id", "title"])
    .where((show) => show.or([show("year", ">", YEAR), show.and({ year: YEAR, listed: false })]))
    .execute();
}

export async function countListedShows(db: Db): Promise<number> {
  const listed = db.selectFrom("shows").where("year", "=", YEAR).where("listed", "=", true);
  const { count } = await listed.select((show) => show.fn.countAll().as("count")).executeTakeFirstOrThrow();
  return Number(count);
}

async function findShownShows(db: Db): Promise<SnapshotShow[]> {
  const rows = await db
    .selectFrom("shows")
    .select([...showColumns, "warnings", "venue_address", "performances"])
    .where((show) => show.or([show("year", "<", YEAR), show.and({ year: YEAR, listed: true })]))
    .execute();
  return rows.map(({ warnings, venue_address: address, performances, ...show }) => ({
    show: { ...show, ...declaredBy(warnings) },
    metadata: show.year === YEAR ? { address, performances } : { address: null, performances: null },
  }));
}

function findTallies(db: Db) {
  // In the format of notifications (SQL's `add_to_tally`), because timestamps are compared as strings.
  const latestAt = isoTime<string | null>("latest_at");
  return db
    .selectFrom("tallies")
    .select(["show_id", "no", "very_little", "yes", latestAt.as("latest_at"), "revision"])
    .execute();
}
