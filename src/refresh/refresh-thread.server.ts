/*
 * The thread that refreshes the shows while the site answers, of whoever calls `refreshInThread`. It ends when nothing is left to do.
 */
import { parentPort, workerData } from "node:worker_threads";
import { connectDatabase } from "../database/open.server.ts";
import { refreshShows } from "./refresh.server.ts";
import type { ThreadData, ThreadMessage } from "./refresh-in-thread.server.ts";
import { createThreadLog } from "./thread-log.server.ts";

const { url, api, unlessSince, logLevel }: ThreadData = workerData;
const tell = (message: ThreadMessage) => parentPort?.postMessage(message);
const stopping = new AbortController();
parentPort?.once("message", () => stopping.abort()).unref();

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
