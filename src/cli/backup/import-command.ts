import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import pg from "pg";
import { CommandError, type Db } from "../command.ts";
import { print, printError } from "../console.ts";
import { type Progress, plural, showProgress } from "../progress-bar.ts";
import { abortOnSignals, StoppedError } from "../stop-signals.ts";
import { type Imported, importLines } from "./import.ts";

/** `import <file>`: imports the whole file or nothing. */
export async function importAccounts(db: Db, file: string): Promise<void> {
  const { signal, exitCode } = abortOnSignals();
  try {
    const { users, reviews, unchanged } = await importFile(db, file, signal);
    const already =
      unchanged > 0 ? ` Here already: ${plural(unchanged, "user or review", "users and reviews")}.` : "";
    print(`Imported ${plural(users, "user")} and ${plural(reviews, "review")}.${already}`);
  } catch (error) {
    if (!signal.aborted) throw toCommandError(error);
    printError("Stopped; nothing was imported.");
    throw new StoppedError(exitCode());
  }
}

async function importFile(db: Db, file: string, signal: AbortSignal): Promise<Imported> {
  const bytes = addAbortSignal(signal, file === "-" ? process.stdin : createReadStream(file));
  const reading = showProgress({ doing: "Reading", things: "users and reviews", done: "read" });
  const storing = showProgress({ doing: "Storing", things: "users and reviews", done: "stored" });
  const onStored = (progress: Progress) => {
    reading.stop();
    storing.update(progress);
  };
  try {
    return await importLines(db, { bytes, signal, onRead: reading.update, onStored });
  } finally {
    reading.stop();
    storing.stop();
    bytes.destroy();
  }
}

/** PostgreSQL's codes for conflicts with other writers: deadlock, unique violation, foreign-key violation. */
const conflictCodes = new Set(["40P01", "23505", "23503"]);

/** Conflicts and errors of the file system become messages to the operator; any other error is a bug. */
function toCommandError(error: unknown): unknown {
  if (error instanceof CommandError) return new CommandError(`Nothing was imported. ${error.message}`);
  if (error instanceof pg.DatabaseError && conflictCodes.has(error.code ?? ""))
    return new CommandError("Nothing was imported: another transaction changed the same rows. Try again.");
  const fromSystem = error instanceof Error && "syscall" in error;
  return fromSystem ? new CommandError(`The file could not be read: ${error.message}.`) : error;
}
