/*
 * People who review at a steady rate, as far as the site takes it, from being told to begin until they are told to stop; then tells how many
 * reviews a second were stored. A process of its own: what it does must not hold up those who measure.
 */
import { once } from "node:events";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { type Connection, openConnection } from "../load/connection.ts";
import { putReview } from "../writing/measure.ts";
import { reviewing } from "./reviewing.ts";

/** Enough for reviews to be sent when they are due. */
const CONNECTIONS = 32;

/** Where their turns begin: more than are written by anybody else, so that nobody ever sends a review twice. */
let turn = 1_000_000;

const [task] = await once(process, "message");
const { origin, people, showIds, perSecond } = reviewing.parse(task);

/** @returns how many reviews a second were stored */
async function reviewUntil(stop: AbortSignal): Promise<number> {
  const first = turn;
  const began = performance.now();
  let stored = 0;
  let perSecondStored = 0;
  stop.addEventListener("abort", () => {
    perSecondStored = (stored / (performance.now() - began)) * 1000;
  });

  async function writeWhenDue(connection: Connection): Promise<void> {
    while (!stop.aborted) {
      const own = turn++;
      const early = began + ((own - first) / perSecond) * 1000 - performance.now();
      if (early > 0) await wait(early);
      const status = await putReview(connection, people, showIds, own);
      if (status === 200) stored++;
      else if (status !== 503) throw new Error(`A review was answered with ${status}`);
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, () => writeWhenDue(openConnection(origin, {}))));
  return perSecondStored;
}

let stopping = new AbortController();
process.on("message", async (told) => {
  if (told === "stop") return stopping.abort();
  stopping = new AbortController();
  process.send?.(await reviewUntil(stopping.signal));
});
