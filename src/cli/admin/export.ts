import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { Db } from "./command.ts";
import { disableTimeouts } from "./disable-timeouts.ts";
import {
  type ExportedReview,
  type ExportedUser,
  type Header,
  header,
  reviewRecord,
  userRecord,
} from "./export-format.ts";

type Trx = Transaction<Schema>;

/** Rows per query and per chunk. */
const PAGE = 1_000;

/**
 * Exports all users and reviews of one snapshot as JSON Lines, in chunks of some hundred KB, one of them in
 * memory at a time.
 * @param onHeader called with the totals before the first chunk
 * @param onRecords called with the number of records read so far
 */
export async function* exportLines(
  db: Db,
  onHeader: (header: Header) => void,
  onRecords: (seen: number) => void,
): AsyncGenerator<string> {
  const snapshot = await db
    .startTransaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute();
  try {
    await disableTimeouts(snapshot);
    const first = await readHeader(snapshot);
    onHeader(first);
    yield toLines([first]);
    let seen = 0;
    for await (const page of readPages(snapshot)) {
      yield toLines(page);
      seen += page.length;
      onRecords(seen);
    }
  } finally {
    await snapshot.rollback().execute();
  }
}

async function* readPages(trx: Trx): AsyncGenerator<(ExportedUser | ExportedReview)[]> {
  for (let page = await readUsers(trx, null); page.length > 0; page = await readUsers(trx, page.at(-1)))
    yield page;
  for (let page = await readReviews(trx, null); page.length > 0; page = await readReviews(trx, page.at(-1)))
    yield page;
}

async function readHeader(trx: Trx): Promise<Header> {
  const { rows } = await sql<{ header: Header }>`select ${header} as header`.execute(trx);
  if (!rows[0]) throw new Error("A select without a table returned no row");
  return rows[0].header;
}

async function readUsers(trx: Trx, after: ExportedUser | null | undefined): Promise<ExportedUser[]> {
  const { rows } = await sql<{ record: ExportedUser }>`
    select ${userRecord} as record from users
    where ${after ? sql`id > ${after.id}` : sql`true`} order by id limit ${PAGE}`.execute(trx);
  return rows.map(({ record }) => record);
}

async function readReviews(trx: Trx, after: ExportedReview | null | undefined): Promise<ExportedReview[]> {
  const { rows } = await sql<{ record: ExportedReview }>`
    select ${reviewRecord} as record from reviews
    where ${after ? sql`(show_id, user_id) > (${after.show_id}, ${after.user_id}::uuid)` : sql`true`}
    order by show_id, user_id limit ${PAGE}`.execute(trx);
  return rows.map(({ record }) => record);
}

function toLines(records: object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
