import { setTimeout as wait } from "node:timers/promises";
import type { Reviewer } from "../../tests/support/reviewers.ts";
import { type Connection, openConnection } from "../load/connection.ts";
import { putReview } from "../writing/measure.ts";
import type { Change } from "./refreshing.ts";

/** Enough for reviews to be sent when they are due. */
const CONNECTIONS = 32;

/** Where the next turn begins, so that nobody ever sends a review twice. */
let turn = 1_000_000;

/** Has so many reviews written a second, as far as the site takes them. Answers how many a second were stored. */
export function keepReviewing(
  origin: string,
  people: readonly Reviewer[],
  showIds: readonly string[],
  perSecond: number,
): Change {
  let stopped = false;
  let written = 0;
  let taken = 0;
  const began = performance.now();

  async function writeWhenDue(connection: Connection): Promise<void> {
    while (!stopped) {
      const early = began + (taken++ / perSecond) * 1000 - performance.now();
      if (early > 0) await wait(early);
      const status = await putReview(connection, people, showIds, turn++);
      if (status === 200) written++;
      else if (status !== 503) throw new Error(`A review was answered with ${status}`);
    }
    connection.close();
  }

  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(origin, {}));
  const writing = Promise.all(connections.map(writeWhenDue));
  return {
    async stop() {
      stopped = true;
      const perSecondWritten = (written / (performance.now() - began)) * 1000;
      await writing;
      return perSecondWritten;
    },
  };
}
