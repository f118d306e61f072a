import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../database/schema.server.ts";
import type { Catalogue } from "./catalogue.server.ts";
import { findListedShows, findTallies } from "./catalogue-queries.server.ts";

interface FeedOptions {
  catalogue: Catalogue;
  db: Kysely<Schema>;
  log: Logger;
  /** Told when everything was read again: what else is kept of the database may be as old as the catalogue was. */
  onReloaded?: () => void;
  /** How long to wait after a failed read before the next try, in ms. */
  retryAfter?: number;
  /** How often everything is read again, lest a lost message last, in ms. */
  reloadEvery?: number;
}

/** The longest wait between two tries, in ms. */
const longestWait = 30_000;

/** What keeps a catalogue equal to the database. Its reads run one after the other, so an older one never overwrites a newer one. */
export interface CatalogueFeed {
  /** Reads everything again; resolves when a read that began after the call has ended, well or not. */
  reload(): Promise<void>;
  /** Reads one show's tallies again. */
  talliesChanged(showId: string): void;
  close(): void;
}

/** Starts a feed. It reads nothing until told to, and goes on trying while the database is away. */
export function feedCatalogue({
  catalogue,
  db,
  log,
  onReloaded,
  retryAfter = 1_000,
  reloadEvery = 10 * 60_000,
}: FeedOptions): CatalogueFeed {
  const changed = new Set<string>();
  let everything = false;
  let closed = false;
  let failures = 0;
  let reading: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  const regularly = setInterval(() => void reload(), reloadEvery).unref();

  function reload(): Promise<void> {
    everything = true;
    return work();
  }

  function work(): Promise<void> {
    clearTimeout(retry);
    reading ??= readUntilCurrent().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function readUntilCurrent(): Promise<void> {
    while (!closed && (everything || changed.size > 0)) {
      const ids = everything ? null : [...changed];
      everything = false;
      changed.clear();
      if (!(await (ids ? readTallies(ids) : readEverything()))) return tryLater();
      failures = 0;
    }
  }

  function tryLater(): void {
    if (closed) return;
    everything = true;
    retry = setTimeout(() => void work(), Math.min(retryAfter * 2 ** failures++, longestWait)).unref();
  }

  /** Whether shows and tallies were both read. Shows alone are put in place only where no tallies were known before. */
  async function readEverything(): Promise<boolean> {
    const shows = await findListedShows(db).catch(failed("Shows"));
    if (!shows) return false;
    const tallies = await findTallies(db).catch(failed("Tallies"));
    if (!closed && (tallies || !catalogue.state().talliesKnown)) catalogue.replace(shows, tallies);
    if (tallies) onReloaded?.();
    return tallies !== null;
  }

  async function readTallies(ids: readonly string[]): Promise<boolean> {
    const tallies = await findTallies(db, ids).catch(failed("Tallies"));
    for (const [id, tally] of tallies ?? []) catalogue.updateTallies(id, tally);
    return tallies !== null;
  }

  function failed(what: string): (error: unknown) => null {
    return (error) => {
      if (!closed)
        log.error({ err: error }, `${what} cannot be read from the database; the catalogue keeps what it has`);
      return null;
    };
  }

  return {
    reload,
    talliesChanged(showId) {
      changed.add(showId);
      void work();
    },
    close() {
      closed = true;
      clearInterval(regularly);
      clearTimeout(retry);
    },
  };
}
