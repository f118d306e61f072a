import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { Programme } from "./festival/fetch-programme.server.ts";
import { finishRefresh } from "./runs-table.server.ts";
import { findStoredShows, listShows, unlistShows } from "./shows-table.server.ts";

/** The share of the listed shows that may leave the list at once. */
const TOLERATED_LOSS = 0.2;

export interface RefreshCounts {
  /** Shows listed after the refresh. */
  listed: number;
  /** Never seen before. */
  added: number;
  changed: number;
  /** No longer listed. */
  removed: number;
  /** Listed again. */
  returned: number;
  /** Records that could not be understood. */
  skipped: number;
}

export interface Publication {
  refreshId: string;
  programme: Programme;
  year: number;
  /** Also take more than 20 % of the listed shows off the list. */
  allowShrink: boolean;
}

/** More shows would leave the list than is believable. */
export class ShrinkError extends Error {
  override name = "ShrinkError";
}

/**
 * Makes a programme the list of its year, whole or not at all, records the refresh as succeeded and tells every instance
 * (`shows_changed`) unless it was that before, in one transaction on this connection.
 * @throws ShrinkError when more than 20 % of the list would leave it
 */
export function publishProgramme(connection: Kysely<Schema>, publication: Publication): Promise<RefreshCounts> {
  const { refreshId, programme, year, allowShrink } = publication;
  return connection.transaction().execute(async (trx) => {
    const stored = await findStoredShows(trx);
    const listed = stored.filter((show) => show.listed && show.year === year).map(({ id }) => id);
    const leaving = findLeaving(listed, programme);
    if (leaving.length > listed.length * TOLERATED_LOSS && !allowShrink) {
      throw new ShrinkError(`${leaving.length} of ${listed.length} listed shows would leave the list, more than 20 %.`);
    }
    await unlistShows(trx, leaving);
    const written = sortWritten(await listShows(trx, programme.shows), stored, listed);
    const counts = {
      listed: listed.length - leaving.length + written.added + written.returned,
      ...written,
      removed: leaving.length,
      skipped: programme.bad.length,
    };
    await finishRefresh(trx, refreshId, { outcome: "succeeded", ...counts });
    const { added, changed, removed, returned } = counts;
    if (added + changed + removed + returned > 0) await sql`select pg_notify('shows_changed', '')`.execute(trx);
    return counts;
  });
}

/** How many of the written shows were unknown, on the list, and off the list before. */
function sortWritten(written: readonly string[], stored: readonly { id: string }[], listed: readonly string[]) {
  const before = new Set(listed);
  const known = new Set(stored.map(({ id }) => id));
  const added = written.filter((id) => !known.has(id)).length;
  const changed = written.filter((id) => before.has(id)).length;
  return { added, changed, returned: written.length - added - changed };
}

/**
 * Which of the listed shows a programme takes off the list: those that the festival says are not to be listed, and those
 * that it does not have. A show whose record turned bad stays. So do shows that seem to be missing while there are as many
 * records without an id: they may be theirs.
 */
export function findLeaving(listed: readonly string[], { shows, unlisted, bad }: Programme): string[] {
  const present = new Set([...shows, ...bad].map(({ id }) => id));
  const told = new Set(unlisted);
  const absent = listed.filter((id) => !present.has(id) && !told.has(id));
  const nameless = bad.filter(({ id }) => id === null).length;
  return [...listed.filter((id) => told.has(id)), ...(absent.length > nameless ? absent : [])];
}
