import { Command, CommanderError } from "commander";
import { pino } from "pino";
import { type Config, type FestivalApiConfig, loadConfig } from "../config/environment.server.ts";
import { requireHttps } from "../config/production-credentials.server.ts";
import { openDatabase } from "../database/open.server.ts";
import type { Db } from "../database/schema.server.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { type RefreshOutcome, refreshShows } from "../refresh/run-refresh.server.ts";
import { countOf, escapeControls, formatCount, print, printError } from "./console.ts";
import { showProgress } from "./progress-bar.ts";
import { stoppable } from "./stop-signals.ts";

const about = `
Uses FESTIVAL_API_KEY and FESTIVAL_API_SECRET. (Without them, imports the invented programme of npm start again, if the
database holds no other.)`;

const createProgram = () =>
  new Command()
    .configureHelp({ commandUsage: () => "npm run refresh [-- --allow-shrink]" })
    .description(
      "refreshes the shows from the festival's API now: all of them, or none when anything is wrong",
    )
    .option("--allow-shrink", "also if it unlists more than 20 % of the shows", false)
    .addHelpText("after", about)
    .exitOverride()
    .showHelpAfterError();

/** Null if the database has another programme than the invented one. */
type FindDemoApi = (db: Db) => Promise<(FestivalApiConfig & { close(): Promise<void> }) | null>;

/** @param findDemoApi used without credentials. Returns the exit code. */
export async function runRefreshCommand(args: string[], findDemoApi: FindDemoApi, readConfig = loadConfig) {
  try {
    const { allowShrink } = createProgram().parse(args, { from: "user" }).opts<{ allowShrink: boolean }>();
    const config = readConfig();
    if (config.festivalApi) requireHttps("FESTIVAL_API_URL", config.festivalApi.url);
    return await stoppable(
      (signal) => refresh(config, allowShrink, findDemoApi, signal),
      () => "Stopped; the list stays as it was.",
    );
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof OperatorError)) throw error;
    printError(error.message);
    return 1;
  }
}

async function refresh(config: Config, allowShrink: boolean, findDemoApi: FindDemoApi, signal: AbortSignal) {
  await using resources = new AsyncDisposableStack();
  const progress = showProgress("Fetching the programme", "shows");
  resources.defer(progress.stop);
  const log = printLog(progress.stop);
  const openLog = log.child({}, { level: "warn" });
  const { db, close } = await openDatabase({ ...config, log: openLog, sharing: "join", signal });
  resources.defer(close);
  const demo = config.festivalApi ? null : await findDemoApi(db);
  if (demo) {
    resources.defer(demo.close);
    printError("Without the festival's credentials, the invented programme is imported again.");
  }
  const api = config.festivalApi ?? demo;
  if (!api)
    throw new OperatorError(
      "There is nothing to refresh from: set FESTIVAL_API_KEY and FESTIVAL_API_SECRET.",
    );
  const outcome = await refreshShows({ db, api, log, allowShrink, signal, onProgress: progress.update });
  progress.stop();
  if (outcome.outcome === "interrupted") signal.throwIfAborted();
  return reportOutcome(outcome);
}

const outcomeMessages = ["The shows were refreshed", "The refresh was stopped; the list stays as it was"];

/** Prints what the server would log, but for the outcome. Festival texts may contain control characters. */
function printLog(beforeLine: () => void) {
  const write = (line: string) => {
    const { level, msg, record, reason, ...values }: Record<string, unknown> = JSON.parse(line);
    const isWarning = level === pino.levels.values.warn;
    if ((!isWarning && level !== pino.levels.values.info) || outcomeMessages.includes(String(msg))) return;
    const described = Object.entries(values)
      .filter(([, value]) => value !== null && String(value) !== "")
      .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : value}`);
    const text = [msg, record, described.join("; "), reason].filter(Boolean).join(": ");
    beforeLine();
    (isWarning ? printError : print)(escapeControls(text));
  };
  return pino({ base: null, timestamp: false }, { write });
}

function reportOutcome(outcome: RefreshOutcome): number {
  switch (outcome.outcome) {
    case "succeeded": {
      const { listed, added, changed, removed, returned, skipped } = outcome;
      const changes = `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(removed)} removed, ${formatCount(returned)} returned`;
      print(`${countOf(listed, "show")} listed: ${changes}, ${countOf(skipped, "record")} skipped.`);
      return 0;
    }
    case "refused":
      printError(
        `Refused: ${outcome.reason} The list stays as it was; npm run refresh -- --allow-shrink overrides.`,
      );
      return 1;
    case "current": // cannot occur without unlessSucceededSince
    case "busy":
      printError("Another refresh is running: wait until it has ended.");
      return 1;
    case "interrupted": // cannot occur without a signal
    case "failed":
      printError(`The refresh failed, the list stays as it was: ${outcome.reason}`);
      return 1;
  }
}
