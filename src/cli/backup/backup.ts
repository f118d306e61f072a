import { fstatSync, lstatSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { to } from "pg-copy-streams";
import { recordBackup } from "../../database/backups-table.server.ts";
import { findApplied } from "../../database/migrations/migrate.server.ts";
import type { Database } from "../../database/open.server.ts";
import { sessionTransaction } from "../../database/query/session-transaction.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import { escapeControls, print, printError } from "../console.ts";
import { stoppable } from "../stop-signals.ts";
import { describeRows, type Header, isFileError, Lines, showRows, writeBackup } from "./backup-file.ts";
import { copyStatement, findParts, migrationsTo, readSequences } from "./tables.ts";

/** A reader of these could sign in as any user. */
const secretTables = ["sessions", "sign_ins", "signing_keys"];

/** `file` is written whole or not at all, readable only by its owner. `-` is standard output. */
export async function backUp(
  { db, pool }: Pick<Database, "db" | "pool">,
  file: string,
  { withoutSessions = false }: { withoutSessions?: boolean },
): Promise<void> {
  if (file === "") throw new OperatorError("Name a file, or - for standard output.");
  // Node opens /dev/null where standard output was closed.
  if (file === "-" && fstatSync(process.stdout.fd).isCharacterDevice())
    throw new OperatorError("Standard output is a terminal, /dev/null or closed: use a file or a pipe.");
  const leftOut = withoutSessions ? secretTables : [];
  try {
    await stoppable("Stopped; there is no backup.", async (signal) => {
      const end = file !== "-";
      const write: Write = (stream) => writeTables(pool, leftOut, stream, { signal, end });
      const header = await (end ? writeFile(file, write) : write(process.stdout));
      await recordBackup(db);
      (end ? print : printError)(`Backed up ${describeRows(header)} to ${end ? file : "standard output"}.`);
    });
  } catch (error) {
    // The database lacks a part of the schema, or this role may not read it (42…).
    if (error instanceof pg.DatabaseError && error.code?.startsWith("42"))
      throw new OperatorError(`The backup failed: ${escapeControls(error.message)}.`);
    if (!isFileError(error)) throw error;
    throw new OperatorError(`The backup could not be written: ${error.message}.`);
  }
}

type Write = (stream: NodeJS.WritableStream) => Promise<Header>;

async function writeFile(file: string, write: Write): Promise<Header> {
  refuseExisting(file);
  const partial = `${file}.part`;
  const handle = await open(partial, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    const reason = "another backup writes it, or one was killed. If none runs, delete it";
    throw new OperatorError(`${partial} is there already: ${reason}.`);
  });
  try {
    const header = await write(handle.createWriteStream({ flush: true }));
    refuseExisting(file);
    await rename(partial, file);
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close()); // otherwise the name may be lost in a power failure
    return header;
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
}

function refuseExisting(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new OperatorError(`${file} is there already: name a file that is not.`);
}

/** In one snapshot of all tables. */
function writeTables(
  pool: pg.Pool,
  leftOut: readonly string[],
  stream: NodeJS.WritableStream,
  options: { signal: AbortSignal; end: boolean },
): Promise<Header> {
  return sessionTransaction(pool, "repeatable read", options.signal, async (trx, client) => {
    await sql`set local row_security to off`.execute(trx); // fails instead of leaving out rows
    const schema = (await findApplied(trx)).at(-1) ?? "";
    const { tables, sequences } = await findParts(trx, await migrationsTo(schema));
    const header: Header = { schema, created_at: new Date().toISOString(), tables: [], sequences: {} };
    for (const table of tables) {
      const { rows } = await sql<{ count: string }>`
        select count(*) from ${sql.table(table.name)}`.execute(trx);
      header.tables.push({ ...table, rows: leftOut.includes(table.name) ? 0 : Number(rows[0]?.count) });
    }
    header.sequences = await readSequences(trx, sequences);
    const { onTaken, stop } = showRows(header, "Backing up");
    async function* readRows() {
      for (const table of header.tables.filter(({ rows }) => rows > 0)) {
        const lines = new Lines(client.query(to(copyStatement(client, table, "to stdout"))));
        yield* lines.take(table.rows, onTaken);
        if (!(await lines.isAtEnd())) throw new Error(`${table.name} has more rows than were counted`);
      }
    }
    await writeBackup(header, readRows(), stream, options).finally(stop);
    return header;
  });
}
