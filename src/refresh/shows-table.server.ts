import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import type { Db, Trx } from "../database/schema.server.ts";
import { showColumns } from "../domain/show.ts";
import { createCpuThrottle } from "../lib/cpu-throttle.server.ts";
import type { FestivalShow } from "./festival/record-parser.server.ts";

export function findStoredShows(db: Db) {
  return db.selectFrom("shows").select(["id", "year", "title", "artist", "listed"]).execute();
}

export function listedIn(year: number, stored: Awaited<ReturnType<typeof findStoredShows>>): string[] {
  return stored.filter((show) => show.listed && show.year === year).map(({ id }) => id);
}

export async function findStoredPhrases(db: Db): Promise<string[]> {
  const { rows } = await sql<{ phrase: string }>`
    select distinct phrase from shows cross join unnest(warnings) as phrase`.execute(db);
  return rows.map(({ phrase }) => phrase);
}

export async function unlistShows(trx: Trx, ids: readonly string[]): Promise<void> {
  await sql`
    update shows set listed = false, updated_at = now() where id = any (${ids}::text[]) and listed`.execute(
    trx,
  );
}

/** Otherwise process and database would hold the whole programme as one string. */
const BATCH = 200;

/** Writes only shows that differ or were unlisted. Returns their ids. */
export async function upsertShows(trx: Trx, shows: readonly FestivalShow[]): Promise<string[]> {
  const written: string[] = [];
  const throttle = createCpuThrottle();
  for (let start = 0; start < shows.length; start += BATCH) {
    const changed = await findChanged(trx, shows.slice(start, start + BATCH));
    await upsertBatch(trx, changed);
    written.push(...changed.map(({ id }) => id));
    await throttle();
  }
  return written;
}

const columns = [...showColumns, "warnings", "venue_address", "performances"] as const;

/** Few shows differ, and a select costs PostgreSQL a sixth of parsing the same shows from JSON. */
async function findChanged(trx: Trx, shows: readonly FestivalShow[]): Promise<FestivalShow[]> {
  const stored = await trx
    .selectFrom("shows")
    .select(columns)
    .where("id", "=", sql<string>`any (${shows.map(({ id }) => id)}::text[])`)
    .where("listed", "=", true)
    .execute();
  const storedById = new Map(stored.map((show) => [show.id, show]));
  return shows.filter((show) => !isDeepStrictEqual(storedById.get(show.id), show));
}

async function upsertBatch(trx: Trx, shows: readonly FestivalShow[]): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(
    columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`),
  );
  await sql`
    insert into shows (${names})
    select ${names} from jsonb_populate_recordset(null::shows, ${JSON.stringify(shows)}::jsonb)
    on conflict (id) do update set ${values}, listed = true, updated_at = now()`.execute(trx);
}
