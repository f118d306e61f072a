/*
 * The thread that refreshes the shows while the site answers, of whoever calls `refreshInThread`. It ends when nothing is left to do.
 */
import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { connectDatabase } from "../database/open.server.ts";
import { refreshShows } from "./refresh.server.ts";
import type { ThreadData, ThreadMessage } from "./refresh-in-thread.server.ts";
import { createThreadLog } from "./thread-log.server.ts";

const { url, api, unlessSince, logLevel }: ThreadData = workerData;
const tell = (message: ThreadMessage) => parentPort?.postMessage(message);
const stopping = new AbortController();
parentPort?.once("message", () => stopping.abort()).unref();

if (process.platform === "linux") letOthersGoFirst();
const log = createThreadLog(logLevel, (line) => tell({ line }));
const database = connectDatabase(url, log, async () => {});
const ended = await refreshShows({
  db: database.db,
  api,
  log,
  unlessSince,
  signal: stopping.signal,
  onRecorded: (recordedAs) => tell({ recordedAs }),
});
tell({ ended });
await database.close();

/** Where processors are short, whoever reads waits less, and the shows come a little later. Linux alone has priorities of threads. */
function letOthersGoFirst(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A host that forbids it has its reasons, and shows as ever.
  }
}
