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

export type Numbered<T> = T & { line: number };

/** @throws CommandError if the file is malformed or incomplete, or has a record twice */
export async function readExport(bytes: AsyncIterable<Uint8Array>, onRead: (progress: Progress) => void) {
  let header: Header | undefined;
  let line = 0;
  const users: Numbered<ExportedUser>[] = [];
  const reviews: Numbered<ExportedReview>[] = [];
  const ids = new Set<string>();
  for await (const text of readLines(bytes)) {
    line += 1;
    if (!header) {
      header = parseHeader(text);
      continue;
    }
    const record = { line, ...parseRecord(line, text) };
    if (record.type === "user") users.push(record);
    else reviews.push(record);
    const id = record.type === "user" ? record.id : `${record.user_id} ${record.show_id}`;
    if (ids.has(id))
      throw new CommandError(`Line ${line}: ${escapeControls(id)} was there on an earlier line already.`);
    ids.add(id);
    onRead({ seen: ids.size, total: header.users + header.reviews });
  }
  if (!header) throw new CommandError("The file is empty.");
  if (users.length !== header.users || reviews.length !== header.reviews)
    throw new CommandError(
      `The file is not whole: it should have ${header.users} users and ${header.reviews} reviews, ` +
        `and has ${users.length} and ${reviews.length}.`,
    );
  return { users, reviews };
}

/** Only `\n` ends a line: JSON may contain other line separators. @throws CommandError if it is not UTF-8 */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decode(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decode();
  if (rest !== "") yield rest;

  function decode(chunk?: Uint8Array): string {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new CommandError("The file is not UTF-8.");
    }
  }
}

function parseHeader(text: string): Header {
  const { data } = headerLine.safeParse(parseJson(text));
  if (!data) throw new CommandError("Line 1 is not the first line of an export of Front Row.");
  if (data.front_row_export === VERSION) return data;
  throw new CommandError(
    `The export is of version ${data.front_row_export}; this program reads version ${VERSION}.`,
  );
}

function parseRecord(line: number, text: string): ExportedUser | ExportedReview {
  const { data, error } = recordLine.safeParse(parseJson(text));
  if (data) return data;
  const [issue] = error.issues;
  const where = issue?.path.join(".");
  throw new CommandError(`Line ${line} is malformed: ${where ? `${where}: ` : ""}${issue?.message}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
