import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../database/schema.server.ts";
import { YEAR } from "../domain/show.ts";
import type { FestivalApi } from "./festival/client.server.ts";
import { FestivalApiError } from "./festival/client-error.server.ts";
import { fetchProgramme, ProgrammeError, type Progress } from "./festival/fetch-programme.server.ts";
import { publishProgramme, type RefreshCounts, ShrinkError } from "./publish.server.ts";
import { finishRefresh, hasSucceededSince, lockRefreshes, startRefresh, unlockRefreshes } from "./runs-table.server.ts";

/** How often the lock's connection shows that it is alive, in ms: connections that fall silent may be cut. */
const HEARTBEAT = 10_000;

export interface RefreshOptions {
  /** With room for two connections: one holds the lock for the whole run. */
  db: Kysely<Schema>;
  api: Omit<FestivalApi, "log">;
  log: Logger;
  year?: number;
  /** Also take more than 20 % of the listed shows off the list. */
  allowShrink?: boolean;
  onProgress?: (progress: Progress) => void;
  /** Do nothing when another refresh has succeeded since this time (ISO 8601): asked once no other one can run. */
  unlessSince?: string;
  /** Ends the run; nothing is published once it is aborted before that. */
  signal?: AbortSignal | undefined;
}

/**
 * How a refresh ended. Whatever the outcome but `succeeded`, the list is as it was before.
 * - `busy`: another one is running
 * - `current`: another one has succeeded since `unlessSince`
 */
export type RefreshOutcome =
  | ({ outcome: "succeeded" } & RefreshCounts)
  | { outcome: "failed" | "refused" | "interrupted"; reason: string }
  | { outcome: "busy" | "current" };

/**
 * Fetches the festival's whole programme and, if all of it can be believed, makes it the list in one transaction. Every
 * run is recorded in `refreshes`. One runs at a time, whatever the process: a lock is held on one connection, over which
 * the list is also written, so that a run that loses its lock cannot publish. Never rejects.
 */
export async function refreshShows(options: RefreshOptions): Promise<RefreshOutcome> {
  const { db, log } = options;
  try {
    return await db.connection().execute(async (connection) => {
      if (!(await lockRefreshes(connection))) return { outcome: "busy" };
      // Only the end of the session can keep it from being released, and that releases it too.
      return await runRefresh(connection, options).finally(() => unlockRefreshes(connection).catch(() => {}));
    });
  } catch (error) {
    log.error({ err: error }, "The refresh could not begin");
    return { outcome: "failed", reason: messageOf(error) };
  }
}

/** One run under the lock, from its record's start to its end. */
async function runRefresh(connection: Kysely<Schema>, options: RefreshOptions): Promise<RefreshOutcome> {
  const { db, api, log, year = YEAR, allowShrink = false, unlessSince, signal, onProgress } = options;
  if (unlessSince && (await hasSucceededSince(db, unlessSince))) return { outcome: "current" };
  const id = await startRefresh(db);
  const began = performance.now();
  try {
    const programme = await whileConnected(connection, signal, (held) =>
      fetchProgramme({ ...api, log }, { year, signal: held, onProgress }),
    );
    for (const { id: record, reason } of programme.bad) log.warn({ record, reason }, "A festival record was skipped");
    signal?.throwIfAborted();
    const counts = await publishProgramme(connection, { refreshId: id, programme, year, allowShrink });
    log.info({ ...counts, ms: Math.round(performance.now() - began) }, "The shows were refreshed");
    return { outcome: "succeeded", ...counts };
  } catch (error) {
    const outcome = outcomeOf(error, signal);
    logOutcome(log, outcome, error);
    await finishRefresh(db, id, { outcome: outcome.outcome, error: outcome.reason }).catch((err: unknown) =>
      log.error({ err }, "The refresh's end could not be recorded"),
    );
    return outcome;
  }
}

/** Does some long work, which is aborted when the connection is lost meanwhile: the lock is gone with it. */
async function whileConnected<T>(
  connection: Kysely<Schema>,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let isBeating = false;
  const beat = async () => {
    // One at a time: where the database is silent they would pile up.
    if (isBeating) return;
    isBeating = true;
    await sql`select`.execute(connection).catch(() => lost.abort(new Error("The refresh lost its lock.")));
    isBeating = false;
  };
  const heart = setInterval(beat, HEARTBEAT);
  try {
    return await work(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal);
  } finally {
    clearInterval(heart);
  }
}

type Unsuccessful = Extract<RefreshOutcome, { reason: string }>;

function outcomeOf(error: unknown, signal: AbortSignal | undefined): Unsuccessful {
  if (error instanceof ShrinkError) return { outcome: "refused", reason: error.message };
  if (signal?.aborted) return { outcome: "interrupted", reason: "It was stopped before it was complete." };
  return { outcome: "failed", reason: messageOf(error) };
}

function logOutcome(log: Logger, { outcome, reason }: Unsuccessful, error: unknown): void {
  if (outcome === "interrupted") log.info("The refresh was stopped; the list stays as it was");
  else if (outcome === "refused") {
    log.error(
      { reason },
      "The refresh was REFUSED, the list stays as it was: npm run refresh -- --allow-shrink overrides",
    );
  } else {
    const expected = error instanceof FestivalApiError || error instanceof ProgrammeError;
    log.error(expected ? { reason } : { err: error }, "The refresh failed; the list stays as it was");
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
