import { parseArgs } from "node:util";
import { pino } from "pino";
import {
  type Config,
  ConfigError,
  type FestivalApiConfig,
  parseConfig,
  readEnvironment,
} from "../config/environment.server.ts";
import { type Database, openDatabase } from "../database/open.server.ts";
import { DatabaseStartError } from "../database/startup-error.server.ts";
import { type RefreshOutcome, refreshShows } from "../refresh/run-refresh.server.ts";
import { count, fetching, plural, showProgress } from "./progress-bar.ts";
import { listenForSignals } from "./stop-signals.ts";

const usage = `Usage: npm run refresh [-- --allow-shrink]

Refreshes the shows from the festival's API now: all of them, or none when anything is wrong.

  --allow-shrink  also when more than 20 % of the listed shows would leave the list
  --help          this text

The festival's API is asked with FESTIVAL_API_KEY and FESTIVAL_API_SECRET. Without them, the invented programme of
npm start is brought in again where the database holds no other.`;

/** Written at once, so that the process may end right after it. */
const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

/** Where the programme in a database came from, if that is none of the festival's; null otherwise. */
type FindDemoApi = (db: Database["db"]) => Promise<(FestivalApiConfig & { close(): Promise<void> }) | null>;

/**
 * `npm run refresh`: refreshes the shows from the festival's API now, with or without a running server.
 * @param findDemoApi for a configuration without credentials
 * @returns the exit code
 */
export async function runRefreshCommand(args: string[], findDemoApi: FindDemoApi): Promise<number> {
  const flags = readFlags(args);
  if (flags === null) {
    complain(usage);
    return 2;
  }
  if (flags.help) {
    print(usage);
    return 0;
  }
  try {
    const running = new AsyncDisposableStack();
    return await refresh({
      config: parseConfig(readEnvironment()),
      allowShrink: flags["allow-shrink"],
      findDemoApi,
      running,
    }).finally(() => running.disposeAsync());
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DatabaseStartError)) throw error;
    complain(error.message);
    return 1;
  }
}

function readFlags(args: string[]) {
  try {
    const options = {
      "allow-shrink": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    } as const;
    return parseArgs({ args, options }).values;
  } catch {
    return null;
  }
}

interface RefreshCommand {
  config: Config;
  allowShrink: boolean;
  findDemoApi: FindDemoApi;
  running: AsyncDisposableStack;
}

async function refresh({ config, allowShrink, findDemoApi, running }: RefreshCommand): Promise<number> {
  const { notes, log } = collectNotes();
  const { db, close } = await openDatabase({ ...config, log, sharing: "join" });
  running.defer(close);
  const api = config.festivalApi ?? (await demoApi(db, findDemoApi, running));
  if (!api) {
    complain("There is nothing to refresh from: set FESTIVAL_API_KEY and FESTIVAL_API_SECRET.");
    return 1;
  }
  const { signal, exitCode } = listenForSignals();
  const progress = showProgress(fetching);
  running.defer(progress.stop);
  const outcome = await refreshShows({ db, api, log, allowShrink, signal, onProgress: progress.update });
  progress.stop();
  for (const note of notes) complain(note);
  return report(outcome, exitCode());
}

async function demoApi(
  db: Database["db"],
  findDemoApi: FindDemoApi,
  running: AsyncDisposableStack,
): Promise<FestivalApiConfig | null> {
  const api = await findDemoApi(db);
  if (!api) return null;
  running.defer(api.close);
  complain("Without the festival's credentials, the invented programme is brought in again.");
  return api;
}

/** Warnings, kept until the progress bar is gone. Errors are told by the outcome. */
function collectNotes() {
  const notes: string[] = [];
  const write = (line: string) => {
    const { level, msg, record, reason }: Record<string, unknown> = JSON.parse(line);
    if (level === pino.levels.values.warn) notes.push([msg, record, reason].filter(Boolean).join(": "));
  };
  return { notes, log: pino({ level: "warn" }, { write }) };
}

/** Tells how it ended, in one line; answers the exit code. */
function report(outcome: RefreshOutcome, whenStopped: number): number {
  switch (outcome.outcome) {
    case "succeeded": {
      const { listed, added, changed, removed, returned, skipped } = outcome;
      const changes = `${count(added)} added, ${count(changed)} changed, ${count(removed)} removed, ${count(returned)} returned`;
      print(`${plural(listed, "show")} listed: ${changes}, ${plural(skipped, "record")} skipped.`);
      return 0;
    }
    case "refused":
      complain(`Refused: ${outcome.reason} The list stays as it was; npm run refresh -- --allow-shrink overrides.`);
      return 1;
    case "current": // not without unlessSince
    case "busy":
      complain("Another refresh is running: wait until it has ended.");
      return 1;
    case "interrupted":
      complain("Stopped; the list stays as it was.");
      return whenStopped;
    case "failed":
      complain(`The refresh failed, the list stays as it was: ${outcome.reason}`);
      return 1;
  }
}
