import type { Logger } from "pino";
import { describeOutage } from "../database/errors.server.ts";
import type { Db } from "../database/schema.server.ts";
import { shareRuns } from "../lib/share-runs.server.ts";
import type { Catalogue } from "./catalogue.server.ts";
import { readShowsAlone, readSnapshot } from "./snapshot-queries.server.ts";

interface SyncOptions {
  catalogue: Catalogue;
  db: Db;
  log: Logger;
  /** For other caches, which may have missed the same notifications. */
  onReloaded?: () => void;
}

/** Doubles at each failure. */
const RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 30_000;
/** A notification may have been lost. */
const RELOAD_INTERVAL_MS = 10 * 60_000;

export function createCatalogueSync({ catalogue, db, log, onReloaded }: SyncOptions) {
  let isClosed = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  const interval = setInterval(() => void reload(), RELOAD_INTERVAL_MS).unref();

  const reload = shareRuns(async () => {
    clearTimeout(retry);
    if (!isClosed && !(await read())) scheduleRetry();
  });

  function scheduleRetry(): void {
    if (isClosed) return;
    const delay = Math.min(RETRY_DELAY_MS * 2 ** failures++, MAX_RETRY_DELAY_MS);
    retry = setTimeout(() => void reload(), delay).unref();
  }

  /** Returns whether shows and tallies were read. Never replaces known tallies by shows alone. */
  async function read(): Promise<boolean> {
    try {
      await catalogue.replace(() => readSnapshot(db));
      failures = 0;
      onReloaded?.();
      return true;
    } catch (error) {
      logFailure("Reviewed shows", error);
    }
    if (!isClosed && !catalogue.state().talliesKnown) {
      await catalogue.replace(() => readShowsAlone(db)).catch((error) => logFailure("Shows", error));
    }
    return false;
  }

  function logFailure(what: string, error: unknown): void {
    if (isClosed) return;
    const message = `${what} cannot be read from the database; the catalogue keeps what it has`;
    const reason = describeOutage(error);
    if (reason === null) log.error({ err: error }, message);
    else log.warn({ reason }, message);
  }

  return {
    reload,
    close() {
      isClosed = true;
      clearInterval(interval);
      clearTimeout(retry);
    },
  };
}
