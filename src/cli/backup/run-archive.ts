import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from } from "pg-copy-streams";
import { startTool, type ToolOptions } from "./postgres-tools.ts";

class CutError extends Error {}

/**
 * Runs what `pg_restore` writes, in the transaction of `client`. If it connected by itself, the migrations and deletions
 * that follow would be in another transaction, and a killed command would leave it running.
 */
export async function runArchive(client: pg.PoolClient, file: string, schema: string, options: ToolOptions) {
  const source = await open(file); // closed by its stream
  const args = ["--clean", "--if-exists", "--no-owner", "--no-privileges", `--schema=${schema}`, "--file=-"];
  const { stdin, stdout, ended } = startTool("pg_restore", ["--exit-on-error", ...args], options);
  const feeding = pipeline(source.createReadStream(), stdin).catch(() => {}); // `ended` says why
  try {
    await runScript(client, readLines(stdout));
  } catch (error) {
    stdout.destroy();
    if (error instanceof CutError) await ended;
    throw error;
  }
  await Promise.all([feeding, ended]);
}

/** Statements, and rows between `COPY … FROM stdin;` and `\.`. */
async function runScript(client: pg.PoolClient, lines: AsyncGenerator<Buffer, void>): Promise<void> {
  let statements = "";
  async function* readRows() {
    for (let next = await lines.next(); ; next = await lines.next()) {
      if (next.done) throw new CutError("The rows of a table have no end");
      if (next.value.equals(endOfRows)) return;
      yield next.value;
    }
  }
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.toString();
    if (/^COPY .* FROM stdin;\n$/.test(line)) {
      await client.query(statements);
      statements = "";
      await pipeline(readRows, client.query(from(line)));
    } else if (!ignored.test(line)) statements += line.replace(/^SET (?=[a-z_]+ = )/, "SET LOCAL ");
  }
  await client.query(statements);
}

const endOfRows = Buffer.from("\\.\n");

/** Commands of psql, and settings that older servers do not know or that our functions need. */
const ignored = /^\\(un)?restrict |^SET transaction_timeout |^SELECT pg_catalog\.set_config\('search_path'/;

/** Also yields what stands behind the last line break. */
async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const text = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield text.subarray(start, end + 1);
      start = end + 1;
    }
    rest = text.subarray(start);
  }
  if (rest.length > 0) yield rest;
}
