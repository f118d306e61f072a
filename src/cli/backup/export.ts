import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { CommandError, type Db } from "../command.ts";
import { print, printError } from "../console.ts";
import { plural, showProgress } from "../progress-bar.ts";
import { stoppable } from "../stop-signals.ts";
import {
  type ExportedReview,
  type ExportedUser,
  type Header,
  header,
  reviewRecord,
  userRecord,
} from "./export-format.ts";

type Trx = Transaction<Schema>;

/** Creates a file that only its owner may read, and removes it again if the export fails. */
export async function exportAccounts(db: Db, file: string): Promise<void> {
  try {
    await stoppable("Stopped; the export is not whole.", async (signal) => {
      if (file === "-")
        printError(`Exported ${await writeExport(db, process.stdout, signal)} to standard output.`);
      else print(`Exported ${await writeFile(db, file, signal)} to ${file}.`);
    });
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    const exists = "code" in error && error.code === "EEXIST";
    throw new CommandError(
      exists
        ? `${file} is there already: name a file that is not.`
        : `The export could not be written: ${error.message}.`,
    );
  }
}

async function writeFile(db: Db, file: string, signal: AbortSignal): Promise<string> {
  const handle = await open(file, "wx", 0o600);
  try {
    return await writeExport(db, handle.createWriteStream(), signal);
  } catch (error) {
    await rm(file);
    throw error;
  }
}

/** @returns the number of users and reviews, for a message */
async function writeExport(db: Db, destination: NodeJS.WritableStream, signal: AbortSignal): Promise<string> {
  const progress = showProgress({ doing: "Exporting", things: "users and reviews", done: "exported" });
  let exported = "";
  const lines = exportLines(db, ({ users, reviews }, seen) => {
    exported = `${plural(users, "user")} and ${plural(reviews, "review")}`;
    progress.update({ seen, total: users + reviews });
  });
  try {
    await pipeline(Readable.from(lines), destination, { end: destination !== process.stdout, signal });
  } finally {
    progress.stop();
  }
  return exported;
}

/** Rows per query and per chunk. */
const PAGE = 1_000;

/** All users and reviews of one snapshot as JSON Lines, in chunks, one of them in memory at a time. */
export async function* exportLines(
  db: Db,
  onRead: (header: Header, seen: number) => void,
): AsyncGenerator<string> {
  const snapshot = await db
    .startTransaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute();
  try {
    await disableTimeouts(snapshot);
    const { first } = await snapshot.selectNoFrom(header.as("first")).executeTakeFirstOrThrow();
    onRead(first, 0);
    yield toLines([first]);
    let seen = 0;
    for await (const page of readPages(snapshot)) {
      seen += page.length;
      onRead(first, seen);
      yield toLines(page);
    }
  } finally {
    await snapshot.rollback().execute();
  }
}

/** An export or import may be large, and its stream slow. */
export async function disableTimeouts(trx: Trx): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
}

async function* readPages(trx: Trx): AsyncGenerator<(ExportedUser | ExportedReview)[]> {
  for (let page = await readUsers(trx); page.length > 0; page = await readUsers(trx, page.at(-1))) yield page;
  for (let page = await readReviews(trx); page.length > 0; page = await readReviews(trx, page.at(-1)))
    yield page;
}

async function readUsers(trx: Trx, after?: ExportedUser): Promise<ExportedUser[]> {
  const { rows } = await sql<{ record: ExportedUser }>`
    select ${userRecord} as record from users
    where ${after ? sql`id > ${after.id}` : sql`true`} order by id limit ${PAGE}`.execute(trx);
  return rows.map(({ record }) => record);
}

async function readReviews(trx: Trx, after?: ExportedReview): Promise<ExportedReview[]> {
  const { rows } = await sql<{ record: ExportedReview }>`
    select ${reviewRecord} as record from present_reviews as reviews
    where ${after ? sql`(show_id, user_id) > (${after.show_id}, ${after.user_id}::uuid)` : sql`true`}
    order by show_id, user_id limit ${PAGE}`.execute(trx);
  return rows.map(({ record }) => record);
}

function toLines(records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
