import type { Logger } from "pino";
import type { Db } from "../database/schema.server.ts";
import { YEAR } from "../domain/programme.ts";
import { messageOf } from "../lib/error-message.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { FestivalApi } from "./festival/client.server.ts";
import { fetchProgramme, type Progress } from "./festival/fetch-programme.server.ts";
import { describeMisplaced, describeOrphaned } from "./orphaned-reviews.server.ts";
import { publishProgramme, type RefreshCounts, ShrinkError } from "./publish.server.ts";
import { finishRefresh, hasSucceededSince, startRefresh, whileLocked } from "./refreshes-table.server.ts";
import { findStoredShows, listedIn } from "./shows-table.server.ts";

export interface RefreshOptions {
  /** Its pool needs two connections. */
  db: Db;
  api: Omit<FestivalApi, "log">;
  log: Logger;
  year?: number;
  allowShrink?: boolean;
  onProgress?: (progress: Progress) => void;
  unlessSucceededSince?: string;
  signal?: AbortSignal | undefined;
}

/** `refused`: by the loss limit. `busy`: another refresh runs. `current`: another one succeeded meanwhile. */
export type RefreshOutcome =
  | ({ outcome: "succeeded" } & RefreshCounts)
  | { outcome: "failed" | "refused" | "interrupted"; reason: string }
  | { outcome: "busy" | "current" };

/** One connection holds the lock and publishes: without the lock, nothing is published (docs/product.md §7.3). */
export async function refreshShows(options: RefreshOptions): Promise<RefreshOutcome> {
  const { db, log } = options;
  try {
    const outcome = await db
      .connection()
      .execute((connection) => whileLocked(connection, () => runRefresh(connection, options)));
    return outcome ?? { outcome: "busy" };
  } catch (error) {
    log.error({ err: error }, "The refresh could not begin");
    return { outcome: "failed", reason: messageOf(error) };
  }
}

async function runRefresh(connection: Db, options: RefreshOptions): Promise<RefreshOutcome> {
  const { db, api, log, year = YEAR, allowShrink = false } = options;
  const { unlessSucceededSince, signal, onProgress } = options;
  if (unlessSucceededSince && (await hasSucceededSince(db, unlessSucceededSince)))
    return { outcome: "current" };
  const id = await startRefresh(db);
  const startedAt = performance.now();
  try {
    const listed = listedIn(year, await findStoredShows(connection));
    const programme = await fetchProgramme({ ...api, log }, { year, listed, signal, onProgress });
    for (const { id: record, reason } of programme.bad)
      log.warn({ record, reason }, "A festival record was skipped");
    for (const { id: record, cut } of programme.cut)
      log.warn({ record, cut }, "A festival record was cut: texts too long");
    signal?.throwIfAborted();
    const { counts, orphaned, misplaced, warnings, reused } = await publishProgramme(connection, {
      refreshId: id,
      programme,
      year,
      allowShrink,
    });
    if (programme.gap)
      log.warn(
        { missing: programme.gap },
        "The festival counts more shows than it sends; its list was taken",
      );
    if (reused.length > 0)
      log.warn(
        { count: reused.length, records: reused.slice(0, 50) },
        "Festival records were skipped: their ids are those of shows of another year",
      );
    for (const show of orphaned)
      log.warn(
        { record: show.showId, reason: describeOrphaned(show) },
        "A reviewed show is not in the list any more",
      );
    for (const show of misplaced)
      log.warn(
        { record: show.showId, reason: describeMisplaced(show) },
        "A reviewed show has the title and artist of another one now",
      );
    log.info(warnings, "The listings' warnings were read");
    log.info({ ...counts, ms: Math.round(performance.now() - startedAt) }, "The shows were refreshed");
    return { outcome: "succeeded", ...counts };
  } catch (error) {
    const { outcome, reason } = describeFailure(error, log, signal);
    await finishRefresh(db, id, { outcome, error: reason }).catch((err: unknown) =>
      log.error({ err }, "The refresh's end could not be recorded"),
    );
    return { outcome, reason };
  }
}

function describeFailure(error: unknown, log: Logger, signal: AbortSignal | undefined) {
  const reason = messageOf(error);
  if (error instanceof ShrinkError) {
    log.error(
      { reason },
      "The refresh was REFUSED, the list stays as it was: npm run refresh -- --allow-shrink overrides",
    );
    return { outcome: "refused", reason } as const;
  }
  if (signal?.aborted) {
    log.info("The refresh was stopped; the list stays as it was");
    return { outcome: "interrupted", reason: "It was stopped before it was complete." } as const;
  }
  const line = error instanceof OperatorError ? { reason } : { err: error };
  log.error(line, "The refresh failed; the list stays as it was");
  return { outcome: "failed", reason } as const;
}
