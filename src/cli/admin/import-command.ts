import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import pg from "pg";
import { type Progress, plural, showProgress } from "../progress-bar.ts";
import { listenForSignals } from "../stop-signals.ts";
import { type Db, Refusal } from "./command.ts";
import { complain, print } from "./console.ts";
import { type Imported, importLines } from "./import.ts";

/** `import <file>`: all of it, or nothing. */
export async function importAccounts(db: Db, file: string): Promise<number> {
  const { signal, exitCode } = listenForSignals();
  try {
    const { users, reviews, unchanged } = await readFrom(db, file, signal);
    const already = unchanged > 0 ? ` Here already: ${plural(unchanged, "user or review", "users and reviews")}.` : "";
    print(`Imported ${plural(users, "user")} and ${plural(reviews, "review")}.${already}`);
    return 0;
  } catch (error) {
    if (signal.aborted) {
      complain("Stopped; nothing was imported.");
      return exitCode();
    }
    throw explainedBy(error);
  }
}

async function readFrom(db: Db, file: string, signal: AbortSignal): Promise<Imported> {
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

/** PostgreSQL's codes for: a deadlock, a row that was just written, one that was just deleted. */
const cameInBetween = new Set(["40P01", "23505", "23503"]);

/** What was refused says so itself, what cannot be read is the operator's to know, everything else is a bug. */
function explainedBy(error: unknown): unknown {
  if (error instanceof Refusal) return new Refusal(`Nothing was imported. ${error.message}`);
  if (error instanceof pg.DatabaseError && cameInBetween.has(error.code ?? ""))
    return new Refusal("Nothing was imported: somebody changed the same things meanwhile. Please try again.");
  const fromSystem = error instanceof Error && "syscall" in error;
  return fromSystem ? new Refusal(`The file could not be read: ${error.message}.`) : error;
}
