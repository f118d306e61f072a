import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { plural, showProgress } from "../progress-bar.ts";
import { abortOnSignals } from "../stop-signals.ts";
import { CommandError, type Db } from "./command.ts";
import { print, printError } from "./console.ts";
import { exportLines } from "./export.ts";

/** `export <file>`: creates a file that only its owner may read, and removes it again if the export fails. */
export async function exportAccounts(db: Db, file: string): Promise<number> {
  const { signal, exitCode } = abortOnSignals();
  try {
    const exported = await (file === "-"
      ? writeExport(db, process.stdout, signal)
      : writeFile(db, file, signal));
    (file === "-" ? printError : print)(
      `Exported ${exported} to ${file === "-" ? "standard output" : file}.`,
    );
    return 0;
  } catch (error) {
    if (signal.aborted) {
      printError("Stopped; the export is not whole.");
      return exitCode();
    }
    throw toCommandError(error, file);
  }
}

async function writeFile(db: Db, file: string, signal: AbortSignal): Promise<string> {
  const destination = createWriteStream(file, { flags: "wx", mode: 0o600 });
  let opened = false;
  destination.once("open", () => {
    opened = true;
  });
  try {
    return await writeExport(db, destination, signal);
  } catch (error) {
    if (opened) await rm(file);
    throw error;
  }
}

/** @returns the number of users and reviews, for a message */
async function writeExport(db: Db, destination: NodeJS.WritableStream, signal: AbortSignal): Promise<string> {
  const progress = showProgress({ doing: "Exporting", things: "users and reviews", done: "exported" });
  let exported = "";
  let total = 0;
  const lines = exportLines(
    db,
    ({ users, reviews }) => {
      exported = `${plural(users, "user")} and ${plural(reviews, "review")}`;
      total = users + reviews;
    },
    (seen) => progress.update({ seen, total }),
  );
  try {
    await pipeline(Readable.from(lines), destination, { end: destination !== process.stdout, signal });
  } finally {
    progress.stop();
  }
  return exported;
}

/** Errors of the file system become messages to the operator; any other error is a bug. */
function toCommandError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EEXIST") return new CommandError(`${file} is there already: name a file that is not.`);
  const fromSystem = error instanceof Error && "syscall" in error;
  return fromSystem ? new CommandError(`The export could not be written: ${error.message}.`) : error;
}
