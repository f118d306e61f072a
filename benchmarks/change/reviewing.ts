import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import type { Reviewer } from "../../tests/support/reviewers.ts";
import type { Change } from "./refreshing.ts";

/** What those who review are told. */
export interface Reviewing {
  origin: string;
  people: readonly Reviewer[];
  showIds: readonly string[];
  perSecond: number;
  /** Where their turns begin. */
  firstTurn: number;
}

/** More than are written at a time, so that nobody ever sends a review twice. */
const TURNS = 1_000_000;

let times = 0;

/** Has so many reviews written a second, as far as the site takes them. Resolves when they have begun; answers how many a second were stored. */
export async function keepReviewing(task: Omit<Reviewing, "firstTurn">): Promise<Change> {
  const workerData: Reviewing = { ...task, firstTurn: ++times * TURNS };
  const thread = new Worker(new URL("reviewers.ts", import.meta.url), { workerData });
  await once(thread, "message");
  const ended = once(thread, "message");
  ended.catch(() => {}); // told of when it is stopped
  return {
    async stop() {
      thread.postMessage("stop");
      const [stored] = await ended;
      return z.number().parse(stored);
    },
  };
}
