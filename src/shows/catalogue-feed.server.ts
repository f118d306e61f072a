import type { Logger } from "pino";
import type { Catalogue } from "./catalogue.server.ts";
import { readInOneMoment } from "./catalogue-queries.server.ts";
import type { ShowSource } from "./show-source.server.ts";

interface FeedOptions {
  catalogue: Catalogue;
  /** Where the database is. */
  databaseUrl: string;
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

/** What keeps a catalogue equal to the database. Reads run one after the other, so that an older one never overwrites a newer one. */
export interface CatalogueFeed {
  /** Reads everything again; resolves when a read that began after the call has ended, well or not. */
  reload(): Promise<void>;
  close(): void;
}

/** Starts a feed. It reads nothing until told to, and goes on trying while the database is away. */
export function feedCatalogue({
  catalogue,
  databaseUrl,
  log,
  onReloaded,
  retryAfter = 1_000,
  reloadEvery = 10 * 60_000,
}: FeedOptions): CatalogueFeed {
  let everything = false;
  let closed = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let reading: Promise<void> | null = null;
  const regularly = setInterval(() => void reload(), reloadEvery).unref();

  function reload(): Promise<void> {
    everything = true;
    clearTimeout(retry);
    reading ??= readEverything().finally(() => {
      reading = null;
    });
    return reading;
  }

  async function readEverything(): Promise<void> {
    for (let isWell = true; isWell && everything && !closed; ) {
      everything = false;
      isWell = await readProgramme();
    }
  }

  function tryLater(): void {
    if (closed) return;
    clearTimeout(retry);
    retry = setTimeout(() => void reload(), Math.min(retryAfter * 2 ** failures++, longestWait)).unref();
  }

  /** Whether shows and tallies were both read. Shows alone are put in place only where no tallies were known before. */
  async function readProgramme(): Promise<boolean> {
    const isWhole = await readInOneMoment(databaseUrl, catalogue.replace).then(() => true, failed("Reviewed shows"));
    if (isWhole) {
      failures = 0;
      onReloaded?.();
      return true;
    }
    if (!closed && !catalogue.state().talliesKnown) {
      const alone = ({ digests, shows }: ShowSource) => catalogue.replace({ digests, shows });
      await readInOneMoment(databaseUrl, alone).catch(failed("Shows"));
    }
    tryLater();
    return false;
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
    close() {
      closed = true;
      clearInterval(regularly);
      clearTimeout(retry);
    },
  };
}
