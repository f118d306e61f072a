import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { Progress } from "../progress-bar.ts";
import { Refusal } from "./command.ts";
import { type Header, headerLine, recordLine, VERSION } from "./export-format.ts";
import { type Line, readLines } from "./text-lines.ts";

type Trx = Transaction<Schema>;

/** The number of the line after the header. */
export const FIRST_RECORD = 2;

export interface ReadingOptions {
  bytes: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  onRead: (progress: Progress) => void;
}

/**
 * Puts the lines of an export into temporary tables, which last as long as the transaction. Answers how many users and reviews there
 * are, a line each.
 * @throws Refusal of a file that is malformed or not whole
 */
export async function putAside(trx: Trx, { bytes, signal, onRead }: ReadingOptions): Promise<number> {
  await createAsides(trx);
  let header: Header | undefined;
  let seen = 0;
  const left = { user: 0, review: 0 };
  for await (const lines of readLines(bytes)) {
    const [first] = lines;
    if (first && !header) {
      header = readHeader(first);
      left.user = header.users;
      left.review = header.reviews;
      lines.shift();
    }
    const records = lines.map(readRecord);
    for (const { type } of records) left[type]--;
    await store(trx, records);
    signal.throwIfAborted();
    seen += records.length;
    if (header) onRead({ seen, total: header.users + header.reviews });
  }
  if (!header) throw new Refusal("The file is empty.");
  if (left.user !== 0 || left.review !== 0) throw notWhole(header, left);
  await sql`analyze imported_users, imported_reviews`.execute(trx);
  return seen;
}

async function createAsides(trx: Trx): Promise<void> {
  await sql`create temporary table imported_users (
    line integer primary key, id uuid not null, record jsonb not null) on commit drop`.execute(trx);
  await sql`create temporary table imported_reviews (
    line integer primary key, show_id text not null, user_id uuid not null, audience_interaction text not null, notes text,
    created_at timestamptz(3) not null) on commit drop`.execute(trx);
}

function notWhole({ users, reviews }: Header, left: { user: number; review: number }): Refusal {
  return new Refusal(
    `The file is not whole: it should have ${users} users and ${reviews} reviews, ` +
      `and has ${users - left.user} and ${reviews - left.review}.`,
  );
}

/** @throws Refusal of what is no export, or one of another version */
function readHeader({ text }: Line): Header {
  const { data } = headerLine.safeParse(parseJson(text));
  if (!data) throw new Refusal("Line 1 is not the first line of an export of Front Row.");
  if (data.front_row_export === VERSION) return data;
  throw new Refusal(`The export is of version ${data.front_row_export}; this program reads version ${VERSION}.`);
}

/** @throws Refusal of a malformed line */
function readRecord({ number, text }: Line) {
  const { data, error } = recordLine.safeParse(parseJson(text));
  if (data) return { line: number, ...data };
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  throw new Refusal(`Line ${number} is malformed: ${where ? `${where}: ` : ""}${issue?.message}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function store(trx: Trx, records: ReturnType<typeof readRecord>[]): Promise<void> {
  const users = records.filter(({ type }) => type === "user").map(({ line, ...record }) => ({ line, record }));
  const reviews = records.filter(({ type }) => type === "review");
  if (users.length > 0)
    await sql`insert into imported_users
      select line, (record ->> 'id')::uuid, record
      from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as lines (line integer, record jsonb)`.execute(trx);
  if (reviews.length > 0)
    await sql`insert into imported_reviews
      select * from jsonb_populate_recordset(null::imported_reviews, ${JSON.stringify(reviews)}::jsonb)`.execute(trx);
}
