import { sql } from "kysely";
import type { Db } from "../database/schema.server.ts";
import { declaredBy } from "../domain/declared.ts";
import { findMissing, type Programme } from "./festival/fetch-programme.server.ts";
import { findReviewsToMove } from "./orphaned-reviews.server.ts";
import { finishRefresh } from "./refreshes-table.server.ts";
import {
  findStoredPhrases,
  findStoredShows,
  listedIn,
  unlistShows,
  upsertShows,
} from "./shows-table.server.ts";

/** A share of the listed shows (docs/product.md §7.4). */
const TOLERATED_LOSS = 0.2;

/** An API that suddenly sends prose must not fill the log. */
const MAX_LOGGED = 50;

export interface RefreshCounts {
  listed: number;
  added: number;
  changed: number;
  removed: number;
  returned: number;
  skipped: number;
}

interface Publication {
  refreshId: string;
  programme: Programme;
  year: number;
  allowShrink: boolean;
}

export class ShrinkError extends Error {
  override name = "ShrinkError";
}

/** An unlisted show keeps its reviews (docs/product.md §7.5). @throws ShrinkError */
export function publishProgramme(connection: Db, { refreshId, programme, year, allowShrink }: Publication) {
  return connection.transaction().execute(async (trx) => {
    const stored = await findStoredShows(trx);
    const ofOtherYears = new Set(stored.filter((show) => show.year !== year).map(({ id }) => id));
    const { reused = [], shows = [] } = Object.groupBy(programme.shows, ({ id }) =>
      ofOtherYears.has(id) ? "reused" : "shows",
    );
    const listed = listedIn(year, stored);
    const toUnlist = findShowsToUnlist(listed, programme);
    if (toUnlist.length > listed.length * TOLERATED_LOSS && !allowShrink) {
      const share = `${toUnlist.length} of ${listed.length} listed shows`;
      throw new ShrinkError(`${share} would be unlisted, more than ${100 * TOLERATED_LOSS} %.`);
    }
    const warnings = describeWarnings(shows, await findStoredPhrases(trx));
    await unlistShows(trx, toUnlist);
    const written = await upsertShows(trx, shows);
    const toMove = await findReviewsToMove(trx, {
      before: stored.filter((show) => show.year === year),
      listed: shows,
      unlisted: new Set(toUnlist),
      newlyListed: new Set(written).difference(new Set(listed)),
    });
    const writes = countWritten(written, stored, listed);
    const counts = {
      listed: listed.length - toUnlist.length + writes.added + writes.returned,
      ...writes,
      removed: toUnlist.length,
      skipped: programme.bad.length + reused.length,
    };
    await finishRefresh(trx, refreshId, { outcome: "succeeded", ...counts, gap: programme.gap ?? 0 });
    const { added, changed, removed, returned } = counts;
    if (added + changed + removed + returned > 0)
      await sql`select pg_notify('shows_changed', '')`.execute(trx);
    return { counts, ...toMove, warnings, reused: reused.map(({ id }) => id) };
  });
}

function countWritten(
  written: readonly string[],
  stored: readonly { id: string }[],
  listed: readonly string[],
) {
  const wasListed = new Set(listed);
  const wasStored = new Set(stored.map(({ id }) => id));
  const added = written.filter((id) => !wasStored.has(id)).length;
  const changed = written.filter((id) => wasListed.has(id)).length;
  return { added, changed, returned: written.length - added - changed };
}

/** Sent as unlisted, or missing (docs/product.md §7.5). */
export function findShowsToUnlist(listed: readonly string[], programme: Programme) {
  const unlisted = new Set(programme.unlisted);
  return [...listed.filter((id) => unlisted.has(id)), ...findMissing(listed, programme)];
}

/** Ignores case (docs/product.md §7.9). @param knownPhrases of the stored shows */
export function describeWarnings(
  shows: readonly { warnings: string[] | null }[],
  knownPhrases: readonly string[],
) {
  const seen = new Set(knownPhrases.map((phrase) => phrase.toLowerCase()));
  const newPhrases = shows
    .flatMap(({ warnings }) => warnings ?? [])
    .filter((phrase) => seen.size < seen.add(phrase.toLowerCase()).size);
  return {
    warned: shows.filter(({ warnings }) => warnings !== null).length,
    announced: shows.filter(({ warnings }) => declaredBy(warnings).announced === "yes").length,
    newPhrases: newPhrases.toSorted().slice(0, MAX_LOGGED),
  };
}
