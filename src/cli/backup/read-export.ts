import { CommandError } from "../command.ts";
import { escapeControls } from "../console.ts";
import type { Progress } from "../progress-bar.ts";
import {
  type ExportedReview,
  type ExportedUser,
  type Header,
  headerLine,
  recordLine,
  VERSION,
} from "./export-format.ts";
import { type Line, readLines } from "./text-lines.ts";

export interface ReadOptions {
  bytes: AsyncIterable<Uint8Array>;
  onRead: (progress: Progress) => void;
}

export type Numbered<T> = T & { line: number };

/** The records of an export, one per line. */
interface Records {
  users: Numbered<ExportedUser>[];
  reviews: Numbered<ExportedReview>[];
}

/**
 * Reads an export into memory.
 * @throws CommandError if the file is malformed or incomplete, or contradicts itself
 */
export async function readExport({ bytes, onRead }: ReadOptions): Promise<Records> {
  let header: Header | undefined;
  const records: Records = { users: [], reviews: [] };
  const refuseRepetition = createRepetitionCheck();
  for await (const line of readLines(bytes)) {
    if (!header) {
      header = parseHeader(line);
      continue;
    }
    const record = parseRecord(line);
    refuseRepetition(record);
    if (record.type === "user") records.users.push(record);
    else records.reviews.push(record);
    const seen = records.users.length + records.reviews.length;
    onRead({ seen, total: header.users + header.reviews });
  }
  if (!header) throw new CommandError("The file is empty.");
  const { users, reviews } = records;
  if (users.length !== header.users || reviews.length !== header.reviews)
    throw new CommandError(
      `The file is not whole: it should have ${header.users} users and ${header.reviews} reviews, ` +
        `and has ${users.length} and ${reviews.length}.`,
    );
  return records;
}

/** Creates a function that throws a CommandError for a record that an earlier line excludes. */
function createRepetitionCheck() {
  const keys = new Set<string>();
  return (record: Numbered<ExportedUser | ExportedReview>) => {
    const add = (key: readonly string[], what: string, problem: string) => {
      const text = JSON.stringify([record.type, ...key]);
      if (keys.has(text)) throw new CommandError(`Line ${record.line}: ${escapeControls(what)} ${problem}.`);
      keys.add(text);
    };
    const repeated = "was there on an earlier line already";
    if (record.type === "review") return add([record.show_id, record.user_id], record.show_id, repeated);
    const another = "is another user's on an earlier line";
    add(["id", record.id], record.id, repeated);
    // As `email_key` of the database: without the case of ASCII letters.
    const email = record.email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    if (record.email_confirmed_at !== null) add(["email", email], email, another);
    for (const { id, provider, subject } of record.identities) {
      add([provider, subject], `${provider} ${subject}`, another);
      add(["identity", id], id, another);
    }
  };
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
function parseRecord({ number, text }: Line): Numbered<ExportedUser | ExportedReview> {
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
