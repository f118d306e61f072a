import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../database/schema.server.ts";
import type { Catalogue } from "./catalogue.server.ts";
import { findTallies, readListedShows, readReviewedShows } from "./catalogue-queries.server.ts";

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

/**
 * What keeps a catalogue equal to the database. Reads of everything run one after the other, and so do those of single shows' tallies, so
 * that an older one never overwrites a newer one; what is read of single shows holds against what was read of everything meanwhile.
 */
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
  let retry: NodeJS.Timeout | undefined;
  const readEverything = keepUp(
    () => everything && !closed,
    () => {
      everything = false;
      return readProgramme();
    },
  );
  const readChanged = keepUp(
    () => changed.size > 0 && !closed,
    () => {
      const ids = [...changed];
      changed.clear();
      return readTallies(ids);
    },
  );
  const regularly = setInterval(() => void reload(), reloadEvery).unref();

  function reload(): Promise<void> {
    everything = true;
    clearTimeout(retry);
    return readEverything();
  }

  function tryLater(): void {
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void reload(), Math.min(retryAfter * 2 ** failures++, longestWait)).unref();
  }

  /** Whether shows and tallies were both read. Shows alone are put in place only where no tallies were known before. */
  async function readProgramme(): Promise<boolean> {
    const shows = readReviewedShows(db);
    const isWhole = await catalogue.replace(shows, { talliesKnown: true }).then(() => true, failed("Reviewed shows"));
    if (isWhole) {
      failures = 0;
      onReloaded?.();
      return true;
    }
    if (!closed && !catalogue.state().talliesKnown) {
      await catalogue.replace(readListedShows(db), { talliesKnown: false }).catch(failed("Shows"));
    }
    tryLater();
    return false;
  }

  async function readTallies(ids: readonly string[]): Promise<boolean> {
    const tallies = await findTallies(db, ids).catch(failed("Tallies"));
    if (!tallies) {
      tryLater();
      return false;
    }
    for (const [id, tally] of tallies) catalogue.updateTallies(id, tally);
    return true;
  }

  function failed(what: string): (error: unknown) => false {
    return (error) => {
      if (!closed)
        log.error({ err: error }, `${what} cannot be read from the database; the catalogue keeps what it has`);
      return false;
    };
  }

  return {
    reload,
    talliesChanged(showId) {
      changed.add(showId);
      void readChanged();
    },
    close() {
      closed = true;
      clearInterval(regularly);
      clearTimeout(retry);
    },
  };
}

/** Takes one step after the other while they are wanted, until one fails; whoever calls meanwhile waits for the same steps. */
function keepUp(isWanted: () => boolean, step: () => Promise<boolean>): () => Promise<void> {
  let running: Promise<void> | null = null;
  async function run(): Promise<void> {
    try {
      while (isWanted() && (await step()));
    } finally {
      running = null;
    }
  }
  return async () => {
    if (!isWanted()) return;
    running ??= run();
    await running;
  };
}
