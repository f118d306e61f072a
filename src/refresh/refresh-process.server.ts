/*
 * The process that refreshes the shows while the site answers, of whoever calls `refreshInProcess`. It ends when nothing is left to do,
 * when it is told to, and when whoever began it is no more.
 */
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { connectDatabase } from "../database/open.server.ts";
import { describeError } from "../log.server.ts";
import { refreshShows } from "./refresh.server.ts";
import type { ProcessMessage, RefreshTask, StopMessage } from "./refresh-in-process.server.ts";
import { createRelayedLog } from "./relayed-log.server.ts";

/** The part of a processor's time that a refresh takes for itself while it fetches, where the festival answers as fast as that. */
const SHARE = 0.1;

/** The shortest rest, in ms. */
const REST = 1;

const stopping = new AbortController();
const stop = () => stopping.abort();
process.once("disconnect", stop).on("SIGINT", stop).on("SIGTERM", stop);
// Node would print all that an error carries, an address with its password too, and what is printed goes to the site's log.
process.once("uncaughtException", (error) => {
  writeSync(process.stderr.fd, JSON.stringify(describeError(error)));
  process.exit(1);
});

const { promise: task, resolve: begin } = Promise.withResolvers<RefreshTask>();
process.on("message", (message: RefreshTask | StopMessage) => (message === "stop" ? stop() : begin(message)));
const { url, api, unlessSince, logLevel } = await task;
const began = { at: performance.now(), used: processorTime() };
const log = createRelayedLog(logLevel, (line) => void tell({ line }));
const database = connectDatabase(url, log, async () => {});
const ended = await refreshShows({
  db: database.db,
  api,
  log,
  unlessSince,
  signal: stopping.signal,
  rest,
  onRecorded: (recordedAs) => void tell({ recordedAs }),
});
await tell({ ended });
await database.close();
if (process.connected) process.disconnect();

/** Resolves when a message has been sent, or when there is nobody to whom. */
function tell(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
}

/** Waits until it has used no more of the time since it began than is its share, or is told to stop. */
async function rest(): Promise<void> {
  const earliest = began.at + (processorTime() - began.used) / SHARE;
  const early = earliest - performance.now();
  if (early >= REST) await delay(early, undefined, { signal: stopping.signal }).catch(() => {});
}

/** How long processors have worked for this process, in ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
