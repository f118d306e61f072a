/*
 * Rows as `copy ... to stdout (format binary)` sends them (PostgreSQL's manual, COPY, "Binary Format"): texts are bytes in UTF-8, to be made
 * into strings, or kept as they are.
 */

/** The columns of one row, to be read in their order, each as what it is in PostgreSQL. */
export interface Columns {
  /** @throws TypeError when it is null, as `bytes`, `integer` and `float` do */
  text(): string;
  textOrNull(): string | null;
  /** A text as it lies in what was received. */
  bytes(): Buffer;
  /** Of four bytes. */
  integer(): number;
  /** Of eight bytes. */
  float(): number;
}

/** What is before the first row: a signature, and two numbers of four bytes that are 0. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");

/** Bytes that say how many columns a row has, and how long one of them is. */
const COUNT = 2;
const LENGTH = 4;

/** What stands for a column's length where it is null, and for the number of columns after the last row. */
const NONE = -1;

/**
 * Takes what was received, piece by piece, and answers the rows that have come whole with it.
 * @param read makes a row of its columns, which are there until it returns; what `bytes` answered is there until the next piece is taken
 * @throws TypeError when it is anything else
 */
export function readCopied<Row>(read: (columns: Columns) => Row): (piece: Buffer) => Row[] {
  /** What was received and not read yet. Its memory is used again: new memory for each piece would have all others looked at, over and over. */
  let bytes: Buffer = Buffer.alloc(0);
  let memory = Buffer.alloc(0);
  /** Where the next column is. */
  let at = 0;
  let isBegun = false;

  function receive(piece: Buffer): void {
    const length = bytes.length + piece.length;
    const room = length <= memory.length ? memory : Buffer.allocUnsafeSlow(2 * length);
    bytes.copy(room);
    piece.copy(room, bytes.length);
    memory = room;
    bytes = memory.subarray(0, length);
  }

  /** Where the next column starts, which ends at `at` then; null for null. */
  function next(): number | null {
    const length = bytes.readInt32BE(at);
    at += LENGTH + Math.max(0, length);
    return length === NONE ? null : at - length;
  }

  function nextThere(): number {
    const start = next();
    if (start === null) throw new TypeError("A column is null");
    return start;
  }

  const columns: Columns = {
    text: () => bytes.toString("utf8", nextThere(), at),
    textOrNull() {
      const start = next();
      return start === null ? null : bytes.toString("utf8", start, at);
    },
    bytes: () => bytes.subarray(nextThere(), at),
    integer: () => bytes.readInt32BE(nextThere()),
    float: () => bytes.readDoubleBE(nextThere()),
  };

  function skipHeader(): void {
    if (isBegun || bytes.length < HEADER.length) return;
    if (!bytes.subarray(0, HEADER.length).equals(HEADER)) throw new TypeError("These are no copied rows");
    isBegun = true;
    bytes = bytes.subarray(HEADER.length);
  }

  return (piece) => {
    receive(piece);
    skipHeader();
    if (!isBegun) return [];
    const rows: Row[] = [];
    let start = 0;
    for (let end = endOfRow(bytes, start); end !== null; end = endOfRow(bytes, start)) {
      at = start + COUNT;
      rows.push(read(columns));
      start = end;
    }
    bytes = bytes.subarray(start);
    return rows;
  };
}

/** Null as long as a row is not all there, and after the last one. */
function endOfRow(bytes: Buffer, start: number): number | null {
  if (start + COUNT > bytes.length) return null;
  const columns = bytes.readInt16BE(start);
  if (columns === NONE) return null;
  let end = start + COUNT;
  for (let column = 0; column < columns; column++) {
    if (end + LENGTH > bytes.length) return null;
    end += LENGTH + Math.max(0, bytes.readInt32BE(end));
  }
  return end <= bytes.length ? end : null;
}
