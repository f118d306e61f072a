import { setImmediate as nextTurn } from "node:timers/promises";
import { BusyPageError, RETRY_AFTER } from "./overload-page.server.ts";
import { within } from "./within.server.ts";

export interface Queue {
  /** Does a piece of work when it is its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** @throws BusyPageError 503 when the next piece of work would have to wait too long */
  admit(): void;
}

interface QueueOptions {
  /** Told of each piece of work that is refused. */
  onRefused: () => void;
  /** In ms. */
  longestWait?: number;
  /** How many may wait longer. */
  handful?: number;
  now?: () => number;
}

/** How long a page may have to wait before it is rendered, in ms: less than what whoever is refused has to wait. */
const LONGEST_WAIT = 300;

/** This many may wait longer: on a machine that is only slow nobody is refused. */
const HANDFUL = 8;

/** How long one rendering may take, in ms; then others get their turn, whatever becomes of it. */
const PATIENCE = 5_000;

/** Turns of the event loop between two pieces of work: in each, a newcomer's connection and a request that needs none get their chance. */
const TURNS = 16;

/** What the last piece of work tells of the next, against what was known before: one that was held up tells little. */
const WEIGHT = 0.1;

/**
 * One piece of work after the other, in the order in which they came: side by side they would only make each other, and everything
 * else that the process does, late. Whether there is room is asked first: refusing has to cost nothing.
 */
export function createQueue({
  onRefused,
  longestWait = LONGEST_WAIT,
  handful = HANDFUL,
  now = () => performance.now(),
}: QueueOptions): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let underWay = 0;
  let usual = 0;

  async function letOthersIn(began: number): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) await nextTurn();
    usual += WEIGHT * (now() - began - usual);
    underWay--;
  }

  return {
    inTurn(work) {
      underWay++;
      let began = 0;
      const done = last.then(() => {
        began = now();
        return within(PATIENCE, work());
      });
      last = done.catch(() => {}).then(() => letOthersIn(began));
      return done;
    },
    admit() {
      if (underWay < handful || underWay * usual <= longestWait) return;
      onRefused();
      throw new BusyPageError(503, RETRY_AFTER);
    },
  };
}
