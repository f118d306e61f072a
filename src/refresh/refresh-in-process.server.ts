import { type ChildProcess, fork } from "node:child_process";
import type { Logger } from "pino";
import type { FestivalApiConfig } from "../config.server.ts";
import type { Database } from "../database/open.server.ts";
import type { RefreshOutcome } from "./refresh.server.ts";
import { finishRefresh } from "./refresh-queries.server.ts";
import { repeatIn } from "./relayed-log.server.ts";

/** How long a process that is told to stop may take to end by itself, in ms: less than the schedule waits. */
const PATIENCE = 2_000;

/** How much goes to the log of what a process says that dies, in characters: the beginning tells why. */
const LAST_WORDS = 2_000;

/** What the process is given. */
export interface RefreshTask {
  url: string;
  api: FestivalApiConfig;
  unlessSince: string;
  logLevel: string;
}

/** What the process is told afterwards. */
export type StopMessage = "stop";

/** What the process tells: that its run is recorded and as what, a line of the log, and at last how it ended. */
export type ProcessMessage = { recordedAs: string } | { line: string } | { ended: RefreshOutcome };

export interface ProcessOptions extends Pick<RefreshTask, "api" | "unlessSince"> {
  /** What the process runs: refresh-process.server.ts, as it is or built. */
  program: URL;
  database: Pick<Database, "db" | "url">;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Does what `refreshShows` does in a process of its own, so that nobody waits for it. The process has its own connections, and is there
 * while the refresh runs. One that dies is a refresh that failed, and recorded as such where the database is there. Never rejects.
 */
export async function refreshInProcess(options: ProcessOptions): Promise<RefreshOutcome> {
  const { program, database, api, log, signal, unlessSince } = options;
  const child = fork(program, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const repeat = repeatIn(log);
  let recordedAs: string | undefined;
  let ended: RefreshOutcome | undefined;
  child.on("message", (message: ProcessMessage) => {
    if ("line" in message) repeat(message.line);
    else if ("ended" in message) ended = message.ended;
    else recordedAs = message.recordedAs;
  });
  const end = endOf(child);
  const letGo = stopWhen(signal, child);
  child.send({ url: database.url, api, unlessSince, logLevel: log.level } satisfies RefreshTask);
  const { reason, lastWords } = await end;
  letGo();
  if (ended) return ended;
  if (!signal.aborted) log.error({ reason, lastWords }, "The refresh's process died");
  const outcome = signal.aborted ? "interrupted" : "failed";
  if (recordedAs !== undefined) {
    await finishRefresh(database.db, recordedAs, { outcome, error: reason }).catch((err: unknown) =>
      log.error({ err }, "The refresh's end could not be recorded"),
    );
  }
  return { outcome, reason };
}

/** Resolves when a process is no more, or never came to be, with why and what it said of that. */
function endOf(child: ChildProcess): Promise<{ reason: string; lastWords: string }> {
  const { promise, resolve } = Promise.withResolvers<{ reason: string; lastWords: string }>();
  let lastWords = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(0, LAST_WORDS);
  });
  // Messages to a process that is no more are errors too, and no news.
  child.on("error", ({ message }) => {
    if (child.pid === undefined) resolve({ reason: `Its process could not be begun: ${message}.`, lastWords });
  });
  child.on("close", (code, signal) => resolve({ reason: `Its process ended with ${signal ?? code}.`, lastWords }));
  return promise;
}

/** Tells a process to stop when a signal is aborted, and ends it where it does not. Answers what lets go of both. */
function stopWhen(signal: AbortSignal, child: ChildProcess): () => void {
  let losingPatience: NodeJS.Timeout | undefined;
  const stop = () => {
    child.send("stop" satisfies StopMessage);
    losingPatience = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  return () => {
    clearTimeout(losingPatience);
    signal.removeEventListener("abort", stop);
  };
}
