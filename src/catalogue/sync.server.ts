import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../database/schema.server.ts";
import type { Catalogue } from "./catalogue.server.ts";
import { readShowsAlone, readSnapshot } from "./snapshot-queries.server.ts";

interface SyncOptions {
  catalogue: Catalogue;
  db: Kysely<Schema>;
  log: Logger;
  /** Called after each complete read: whatever else is cached from the database may be as old as the catalogue was. */
  onReloaded?: () => void;
  /** Delay before the first retry of a failed read, in ms. It doubles with each failure. */
  retryAfter?: number;
  /** How often everything is read again in case a notification was lost, in ms. */
  reloadEvery?: number;
}

/** The longest delay before a retry, in ms. */
const MAX_RETRY_DELAY = 30_000;

/** Keeps a catalogue equal to the database. */
export interface CatalogueSync {
  /** Reads everything again. Resolves when a read that began after the call has ended, well or not. */
  reload(): Promise<void>;
  close(): void;
}

/** Reads nothing before the first `reload`, then retries with backoff while the database is away. */
export function createCatalogueSync({
  catalogue,
  db,
  log,
  onReloaded,
  retryAfter = 1_000,
  reloadEvery = 10 * 60_000,
}: SyncOptions): CatalogueSync {
  let isRequested = false;
  let isClosed = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let reading: Promise<void> | null = null;
  const interval = setInterval(() => void reload(), reloadEvery).unref();

  /** Reads run one after the other: an older snapshot never replaces a newer one. */
  function reload(): Promise<void> {
    isRequested = true;
    clearTimeout(retry);
    reading ??= readWhileRequested().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function readWhileRequested(): Promise<void> {
    while (isRequested && !isClosed) {
      isRequested = false;
      if (!(await read())) return scheduleRetry();
    }
  }

  function scheduleRetry(): void {
    if (isClosed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void reload(), Math.min(retryAfter * 2 ** failures++, MAX_RETRY_DELAY)).unref();
  }

  /** Returns whether shows and tallies were read. Shows alone are swapped in only while no tallies are known. */
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
    log.error({ err: error }, `${what} cannot be read from the database; the catalogue keeps what it has`);
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
