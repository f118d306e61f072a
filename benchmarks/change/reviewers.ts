/*
 * People who review at a steady rate, as far as the site takes it, until they are told to stop; then tells how many reviews a second were
 * stored. Runs in a thread of its own: what it leaves to be collected must not hold up those who measure.
 */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type Connection, openConnection } from "../load/connection.ts";
import { putReview } from "../writing/measure.ts";
import type { Reviewing } from "./reviewing.ts";

/** Enough for reviews to be sent when they are due. */
const CONNECTIONS = 32;

const { origin, people, showIds, perSecond, firstTurn }: Reviewing = workerData;
let stopped = false;
let written = 0;
let taken = 0;
const began = performance.now();

async function writeWhenDue(connection: Connection): Promise<void> {
  while (!stopped) {
    const turn = taken++;
    const early = began + (turn / perSecond) * 1000 - performance.now();
    if (early > 0) await wait(early);
    const status = await putReview(connection, people, showIds, firstTurn + turn);
    if (status === 200) written++;
    else if (status !== 503) throw new Error(`A review was answered with ${status}`);
  }
  connection.close();
}

const writing = Promise.all(Array.from({ length: CONNECTIONS }, () => writeWhenDue(openConnection(origin, {}))));
parentPort?.postMessage("begun");
if (parentPort) await Promise.race([once(parentPort, "message"), writing]);
stopped = true;
const stored = (written / (performance.now() - began)) * 1000;
await writing;
parentPort?.postMessage(stored);
parentPort?.close();
