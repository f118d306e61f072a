import type { FileHandle } from "node:fs/promises";
import { pipeline as pipe } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { z } from "zod";
import { codeOf, OperatorError } from "../../lib/error-message.ts";
import { plural, showProgress } from "../progress-bar.ts";

// Compressed: a line of JSON, then the rows of each table in COPY's text format.

/** In bytes. The file may be malicious. */
const MAX_LINE = 64 * 1024 * 1024;
const MAX_WINDOW = 8 * 1024 * 1024;

const name = z.string().min(1).max(63);
const lastNumber = z.string().regex(/^\d{1,18}$/);
const table = z.strictObject({ name, columns: z.array(name).min(1), rows: z.int().nonnegative() });
const headerLine = z.strictObject({
  schema: z.string().max(255), // the last migration
  created_at: z.iso.datetime(),
  tables: z.array(table),
  sequences: z.record(name, lastNumber),
});

export type Header = z.infer<typeof headerLine>;

export interface Backup {
  header: Header;
  lines: Lines;
}

export const damaged = () => new OperatorError("The file is damaged, or was cut off: take another backup.");

/** True for a file or standard output, not for the database's connection. */
export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && !/^E(CONN|TIMEDOUT|HOST|NET)/.test(codeOf(error));
}

/** @param rows in the order of the header's tables */
export async function writeBackup(
  header: Header,
  rows: AsyncIterable<Buffer>,
  destination: NodeJS.WritableStream,
  options: { signal: AbortSignal; end: boolean },
): Promise<void> {
  async function* content() {
    yield Buffer.from(`${JSON.stringify(header)}\n`);
    yield* rows;
  }
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  await pipeline(content, createZstdCompress({ params }), destination, options);
}

/** Checks the whole file before it reads the header. @throws OperatorError if the file is damaged */
export async function openBackup(file: FileHandle): Promise<Backup> {
  async function* readContent() {
    const compressed = file.createReadStream({ start: 0, autoClose: false });
    const params = { [constants.ZSTD_d_windowLogMax]: Math.log2(MAX_WINDOW) };
    try {
      yield* pipe(compressed, createZstdDecompress({ params }), () => {});
    } catch (error) {
      const isOther = codeOf(error) === "ZSTD_error_prefix_unknown";
      throw isOther ? new OperatorError("The file is no backup of Front Row.") : damaged();
    }
  }
  for await (const _ of readContent());
  const lines = new Lines(readContent());
  const first = Buffer.concat(await Array.fromAsync(lines.take(1)));
  const { data } = headerLine.safeParse(parseJson(first.toString()));
  if (!data) throw damaged();
  return { header: data, lines };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function describeRows({ tables }: Header): string {
  const rowsOf = (table: string) => tables.find(({ name }) => name === table)?.rows ?? 0;
  return `${plural(rowsOf("users"), "user")} and ${plural(rowsOf("reviews"), "review")}`;
}

export function showRows({ tables }: Header, doing: string) {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  const { update, stop } = showProgress(doing, "rows");
  let seen = 0;
  const onTaken = (rows: number) => {
    seen += rows;
    update({ seen, total });
  };
  return { onTaken, stop };
}

export class Lines {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Yields `count` lines in chunks of any size. @throws OperatorError if there are fewer */
  async *take(count: number, onTaken?: (lines: number) => void): AsyncGenerator<Buffer> {
    for (let [taken, length] = [0, 0]; taken < count; ) {
      if (await this.isAtEnd()) throw damaged();
      const chunk = this.#rest;
      const before = taken;
      let end = 0;
      for (let at = chunk.indexOf("\n"); at >= 0 && taken < count; at = chunk.indexOf("\n", end)) {
        end = at + 1;
        taken += 1;
      }
      if (taken < count) end = chunk.length;
      this.#rest = chunk.subarray(end);
      length = taken === before ? length + end : 0;
      if (length > MAX_LINE) throw damaged();
      onTaken?.(taken - before);
      yield chunk.subarray(0, end);
    }
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next();
      if (done) return true;
      this.#rest = value;
    }
    return false;
  }
}
