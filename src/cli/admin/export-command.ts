import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { plural, showProgress } from "../progress-bar.ts";
import { listenForSignals } from "../stop-signals.ts";
import { type Db, Refusal } from "./command.ts";
import { complain, print } from "./console.ts";
import { exportLines } from "./export.ts";

/** `export <file>`: into a new file that only its owner may read, which is removed again where it does not become whole. */
export async function exportAccounts(db: Db, file: string): Promise<number> {
  const { signal, exitCode } = listenForSignals();
  try {
    const exported = await (file === "-" ? writeTo(db, process.stdout, signal) : writeFile(db, file, signal));
    (file === "-" ? complain : print)(`Exported ${exported} to ${file === "-" ? "standard output" : file}.`);
    return 0;
  } catch (error) {
    if (signal.aborted) {
      complain("Stopped; the export is not whole.");
      return exitCode();
    }
    throw explainedBy(error, file);
  }
}

async function writeFile(db: Db, file: string, signal: AbortSignal): Promise<string> {
  const destination = createWriteStream(file, { flags: "wx", mode: 0o600 });
  let opened = false;
  destination.once("open", () => {
    opened = true;
  });
  try {
    return await writeTo(db, destination, signal);
  } catch (error) {
    if (opened) await rm(file);
    throw error;
  }
}

/** Resolves with how much it was. */
async function writeTo(db: Db, destination: NodeJS.WritableStream, signal: AbortSignal): Promise<string> {
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

/** What cannot be written to is the operator's to know; everything else is a bug. */
function explainedBy(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EEXIST") return new Refusal(`${file} is there already: name a file that is not.`);
  const fromSystem = error instanceof Error && "syscall" in error;
  return fromSystem ? new Refusal(`The export could not be written: ${error.message}.`) : error;
}
