// npm run refresh: refreshes the shows from the festival's API now, with or without a running server.
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { pino } from "pino";
import { type Config, ConfigError, parseConfig, readEnvironment } from "../src/config.server.ts";
import { openDatabase } from "../src/database/open.server.ts";
import { DatabaseStartError } from "../src/database/start-error.server.ts";
import type { Progress } from "../src/refresh/programme.server.ts";
import { type RefreshOutcome, refreshShows } from "../src/refresh/refresh.server.ts";

const usage = `Usage: npm run refresh [-- --allow-shrink]

Refreshes the shows from the festival's API now: all of them, or none when anything is wrong.

  --allow-shrink  also when more than 20 % of the listed shows would leave the list
  --help          this text

The festival's API is asked with FESTIVAL_API_KEY and FESTIVAL_API_SECRET.`;

/** Written at once, so that the process may end right after it. */
const print = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));

/** Does what the arguments say; resolves with the exit code. */
async function main(args: string[]): Promise<number> {
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
    return await refresh(parseConfig(readEnvironment()), flags["allow-shrink"]);
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

async function refresh(config: Config, allowShrink: boolean): Promise<number> {
  const { festivalApi: api } = config;
  if (!api) {
    complain("There is nothing to refresh from: set FESTIVAL_API_KEY and FESTIVAL_API_SECRET.");
    return 1;
  }
  const { notes, log } = collectNotes();
  const database = await openDatabase({ ...config, log, sharing: "join" });
  const { signal, stoppedBy } = listenForSignals();
  const progress = showProgress();
  try {
    const outcome = await refreshShows({ db: database.db, api, log, allowShrink, signal, onProgress: progress.update });
    progress.stop();
    for (const note of notes) complain(note);
    return report(outcome, stoppedBy());
  } finally {
    progress.stop();
    await database.close();
  }
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

/** A signal of ours that is aborted by Ctrl-C or a request to end, and which of the two it was. */
function listenForSignals() {
  const controller = new AbortController();
  let stoppedBy: "SIGINT" | "SIGTERM" = "SIGINT";
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      stoppedBy = name;
      controller.abort();
    });
  }
  return { signal: controller.signal, stoppedBy: () => stoppedBy };
}

/** A bar on a terminal; elsewhere a line for each thousand shows. */
function showProgress() {
  if (!process.stderr.isTTY) return { update: sayThousands(), stop: () => {} };
  const format = "Fetching the programme {bar} {value}/{total} shows";
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true });
  return {
    update: ({ seen, total }: Progress) => {
      const all = Math.max(total ?? 0, seen);
      if (!bar.isActive) bar.start(all, seen);
      bar.setTotal(all);
      bar.update(seen);
    },
    stop: () => bar.stop(),
  };
}

function sayThousands() {
  let said = 0;
  return ({ seen, total }: Progress) => {
    const thousands = Math.floor(seen / 1000);
    if (thousands <= said) return;
    said = thousands;
    complain(`${count(seen)}${total === null ? "" : ` of ${count(total)}`} shows fetched`);
  };
}

/** Tells how it ended, in one line; answers the exit code. */
function report(outcome: RefreshOutcome, stoppedBy: "SIGINT" | "SIGTERM"): number {
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
      return stoppedBy === "SIGINT" ? 130 : 143;
    case "failed":
      complain(`The refresh failed, the list stays as it was: ${outcome.reason}`);
      return 1;
  }
}

function count(number: number): string {
  return number.toLocaleString("en-GB");
}

function plural(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? "" : "s"}`;
}
