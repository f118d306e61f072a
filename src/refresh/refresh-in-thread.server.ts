import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../config.server.ts";
import type { Database } from "../database/open.server.ts";
import type { RefreshOutcome } from "./refresh.server.ts";
import { finishRefresh } from "./refresh-queries.server.ts";
import { repeatIn } from "./thread-log.server.ts";

/** The most that a refresh may hold of objects, in MB: several times what a programme takes. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** How long a thread that is told to stop may take to end by itself, in ms: less than the schedule waits. */
const PATIENCE = 2_000;

/** What the thread is given. */
export interface ThreadData {
  url: string;
  api: FestivalApiConfig;
  unlessSince: string;
  logLevel: string;
}

/** What the thread tells: that its run is recorded and as what, a line of the log, and at last how it ended. */
export type ThreadMessage = { recordedAs: string } | { line: string } | { ended: RefreshOutcome };

export interface ThreadOptions extends Pick<ThreadData, "api" | "unlessSince"> {
  /** What the thread runs: refresh-thread.server.ts, as it is or built. */
  program: URL;
  database: Pick<Database, "db" | "url">;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Does what `refreshShows` does in a thread of its own, so that nobody waits for it. The thread has its own connections, and is there
 * while the refresh runs. One that dies is a refresh that failed, and recorded as such where the database is there. Rejects only
 * where no thread can be begun.
 */
export async function refreshInThread(options: ThreadOptions): Promise<RefreshOutcome> {
  const { program, database, api, log, signal, unlessSince } = options;
  const workerData: ThreadData = { url: database.url, api, unlessSince, logLevel: log.level };
  const thread = new Worker(program, { name: "refresh", workerData, resourceLimits: MOST_MEMORY });
  const repeat = repeatIn(log);
  let recordedAs: string | undefined;
  let ended: RefreshOutcome | undefined;
  let reason = "Its thread ended without a word.";
  thread.on("message", (message: ThreadMessage) => {
    if ("line" in message) repeat(message.line);
    else if ("ended" in message) ended = message.ended;
    else recordedAs = message.recordedAs;
  });
  thread.on("error", (error) => {
    log.error({ err: error }, "The refresh's thread died");
    reason = `Its thread died: ${error instanceof Error ? error.message : error}`;
  });
  const letGo = stopWhen(signal, thread);
  await new Promise((resolve) => thread.once("exit", resolve));
  letGo();
  if (ended) return ended;
  const outcome = signal.aborted ? "interrupted" : "failed";
  if (recordedAs !== undefined) {
    await finishRefresh(database.db, recordedAs, { outcome, error: reason }).catch((err: unknown) =>
      log.error({ err }, "The refresh's end could not be recorded"),
    );
  }
  return { outcome, reason };
}

/** Tells a thread to stop when a signal is aborted, and ends it where it does not. Answers what lets go of both. */
function stopWhen(signal: AbortSignal, thread: Worker): () => void {
  let losingPatience: NodeJS.Timeout | undefined;
  const stop = () => {
    thread.postMessage("stop");
    losingPatience = setTimeout(() => void thread.terminate(), PATIENCE);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  return () => {
    clearTimeout(losingPatience);
    signal.removeEventListener("abort", stop);
  };
}
