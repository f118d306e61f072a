import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { Progress } from "../progress-bar.ts";
import { CommandError } from "./command.ts";
import { type Header, headerLine, recordLine, VERSION } from "./export-format.ts";
import { type Line, readLines } from "./text-lines.ts";

type Trx = Transaction<Schema>;

/** The line number of the first record, after the header. */
export const FIRST_RECORD = 2;

export interface StagingOptions {
  bytes: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  onRead: (progress: Progress) => void;
}

/**
 * Loads an export into temporary tables, which exist until the end of the transaction.
 * @returns the number of records: one user or review per line
 * @throws CommandError if the file is malformed or incomplete
 */
export async function stageRecords(trx: Trx, { bytes, signal, onRead }: StagingOptions): Promise<number> {
  await createStagingTables(trx);
  let header: Header | undefined;
  let seen = 0;
  const remaining = { user: 0, review: 0 };
  for await (const lines of readLines(bytes)) {
    const [first] = lines;
    if (first && !header) {
      header = parseHeader(first);
      remaining.user = header.users;
      remaining.review = header.reviews;
      lines.shift();
    }
    const records = lines.map(parseRecord);
    for (const { type } of records) remaining[type]--;
    await insertStaged(trx, records);
    signal.throwIfAborted();
    seen += records.length;
    if (header) onRead({ seen, total: header.users + header.reviews });
  }
  if (!header) throw new CommandError("The file is empty.");
  if (remaining.user !== 0 || remaining.review !== 0) throw incompleteError(header, remaining);
  await sql`analyze imported_users, imported_reviews`.execute(trx);
  return seen;
}

async function createStagingTables(trx: Trx): Promise<void> {
  await sql`create temporary table imported_users (
    line integer primary key, id uuid not null, record jsonb not null) on commit drop`.execute(trx);
  await sql`create temporary table imported_reviews (
    line integer primary key, show_id text not null, user_id uuid not null, audience_interaction text not null, notes text,
    created_at timestamptz(3) not null, hidden_rule text) on commit drop`.execute(trx);
}

function incompleteError(
  { users, reviews }: Header,
  remaining: { user: number; review: number },
): CommandError {
  return new CommandError(
    `The file is not whole: it should have ${users} users and ${reviews} reviews, ` +
      `and has ${users - remaining.user} and ${reviews - remaining.review}.`,
  );
}

/** @throws CommandError if it is not an export, or one of another version */
function parseHeader({ text }: Line): Header {
  const { data } = headerLine.safeParse(parseJson(text));
  if (!data) throw new CommandError("Line 1 is not the first line of an export of Front Row.");
  if (data.front_row_export === VERSION) return data;
  throw new CommandError(
    `The export is of version ${data.front_row_export}; this program reads version ${VERSION}.`,
  );
}

/** @throws CommandError if the line is malformed */
function parseRecord({ number, text }: Line) {
  const { data, error } = recordLine.safeParse(parseJson(text));
  if (data) return { line: number, ...data };
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  throw new CommandError(`Line ${number} is malformed: ${where ? `${where}: ` : ""}${issue?.message}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function insertStaged(trx: Trx, records: ReturnType<typeof parseRecord>[]): Promise<void> {
  const users = records
    .filter(({ type }) => type === "user")
    .map(({ line, ...record }) => ({ line, record }));
  const reviews = records.filter(({ type }) => type === "review");
  if (users.length > 0)
    await sql`insert into imported_users
      select line, (record ->> 'id')::uuid, record
      from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as lines (line integer, record jsonb)`.execute(
      trx,
    );
  if (reviews.length > 0)
    await sql`insert into imported_reviews
      select * from jsonb_populate_recordset(null::imported_reviews, ${JSON.stringify(reviews)}::jsonb)`.execute(
      trx,
    );
}
