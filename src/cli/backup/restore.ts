import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import pg from "pg";
import { from } from "pg-copy-streams";
import { deleteUserWithin } from "../../accounts/end-account.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { describeOutage } from "../../database/errors.server.ts";
import { migrateWithin, readMigrations } from "../../database/migrations/migrate.server.ts";
import { sessionTransaction } from "../../database/query/session-transaction.server.ts";
import type { Trx } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import { notifyAnew } from "../../moderation/messages/notifications.server.ts";
import { escapeControls, print, printError } from "../console.ts";
import { plural } from "../progress-bar.ts";
import { StoppedError, stoppable } from "../stop-signals.ts";
import { type Backup, damaged, describeRows, isFileError, openBackup, showRows } from "./backup-file.ts";
import { readDeletedUsers } from "./deleted-users.ts";
import { copyStatement, dropParts, findParts, migrationsTo, type Parts } from "./tables.ts";

type RunOnSite = (action: (site: { pool: pg.Pool }) => Promise<void>) => Promise<void>;

type Stage = "reading" | "committing" | "restored";

const unknown =
  "It is not known whether the backup was restored. Run the command again: a restored site has users, and refuses it.";

/** All or nothing, into a site without users. @param exceptUsers a file that names users to leave out */
export async function restore(
  run: RunOnSite,
  file: string,
  { exceptUsers }: { exceptUsers?: string },
): Promise<void> {
  let stage: Stage = "reading";
  const work = ({ pool }: { pool: pg.Pool }) =>
    stoppable("", async (signal) => {
      if (file === "-") throw new OperatorError("It is read from a file, not from standard input: name one.");
      const leftOut = exceptUsers === undefined ? new Set<string>() : await readDeletedUsers(exceptUsers);
      const handle = await open(file);
      const onCommit = () => {
        stage = "committing";
      };
      const restoring = restoreTables(pool, handle, leftOut, signal, onCommit);
      const { header, deleted } = await restoring.finally(() => handle.close());
      stage = "restored";
      print(`Restored ${describeRows(header)}, as they were at ${header.created_at}.`);
      if (leftOut.size > 0) print(`Of ${plural(leftOut.size, "deleted user")}, ${deleted} were in it.`);
    });
  await run(work).catch((error: unknown) => Promise.reject(explain(error, stage)));
}

/** Says whether anything was restored, whatever failed. */
function explain(error: unknown, stage: Stage): unknown {
  if (stage === "restored") return error;
  // The server has refused the commit, or its answer was lost.
  const isUnknown = stage === "committing" && !(error instanceof pg.DatabaseError);
  if (error instanceof StoppedError) {
    printError(isUnknown ? unknown : "Stopped; nothing was restored.");
    return error;
  }
  if (isUnknown) return new OperatorError(unknown);
  if (error instanceof OperatorError) return new OperatorError(`Nothing was restored. ${error.message}`);
  if (error instanceof pg.DatabaseError)
    return new OperatorError(`Nothing was restored: ${escapeControls(error.message)}.`);
  if (isFileError(error))
    return new OperatorError(`Nothing was restored. The file could not be read: ${error.message}.`);
  const outage = describeOutage(error);
  if (outage !== null)
    return new OperatorError(`Nothing was restored. The database is unavailable: ${outage}`);
  printError("Nothing was restored.");
  return error;
}

/** `deleted` counts the users of `leftOut` that were in the backup. */
async function restoreTables(
  pool: pg.Pool,
  file: FileHandle,
  leftOut: Iterable<string>,
  signal: AbortSignal,
  onCommit: () => void,
) {
  const { header, lines } = await openBackup(file);
  const older = await migrationsTo(header.schema);
  const migrations = await readMigrations();
  return sessionTransaction(pool, "read committed", signal, async (trx, client) => {
    const present = await findParts(trx, migrations);
    await refuseUsers(trx, present);
    await dropParts(trx, present);
    await migrateWithin(trx, older);
    await fillTables(trx, client, { header, lines }, await findParts(trx, older));
    await migrateWithin(trx, migrations);
    let deleted = 0;
    for (const id of leftOut) if (await deleteUserWithin(trx, id)) deleted += 1;
    await notifyAnew(trx);
    await writeAudit(trx, "restore", { backup_of: header.created_at, deleted });
    await sql`notify restored`.execute(trx);
    onCommit();
    return { header, deleted };
  });
}

/** The lock also prevents sign-ins during the restore. */
async function refuseUsers(trx: Trx, { tables }: Parts): Promise<void> {
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(trx);
  if (await trx.selectFrom("users").select("id").limit(1).executeTakeFirst())
    throw new OperatorError("The site has users: a backup is restored into a new one.");
}

/** Without triggers, which would count reviews again. */
async function fillTables(trx: Trx, client: pg.PoolClient, { header, lines }: Backup, parts: Parts) {
  requireFit(header, parts);
  const { tables, sequences } = parts;
  await sql`truncate ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(trx);
  const setTriggers = async (state: "disable" | "enable") => {
    for (const { name } of tables)
      await sql`alter table ${sql.table(name)} ${sql.raw(state)} trigger user`.execute(trx);
  };
  await setTriggers("disable");
  const { onTaken, stop } = showRows(header, "Restoring");
  try {
    for (const table of header.tables) {
      const copy = client.query(from(copyStatement(client, table, "from stdin")));
      await pipeline(lines.take(table.rows, onTaken), copy);
      if (copy.rowCount !== table.rows) throw damaged();
    }
  } finally {
    stop();
  }
  if (!(await lines.isAtEnd())) throw damaged();
  for (const name of sequences) {
    const last = header.sequences[name] ?? null; // 0 if it is unused
    await sql`
      select setval(quote_ident(${name})::regclass, ${last}::bigint) where ${last}::bigint > 0`.execute(trx);
  }
  await setTriggers("enable");
}

function requireFit(header: Backup["header"], { tables, sequences }: Parts): void {
  const identify = (all: Parts["tables"]) =>
    all.map(({ name, columns }) => [name, ...columns.toSorted()].join());
  const wanted = new Set([...identify(tables), ...sequences]);
  const stored = new Set([...identify(header.tables), ...Object.keys(header.sequences)]);
  const [differing] = wanted.symmetricDifference(stored);
  if (differing !== undefined)
    throw new OperatorError(
      `The backup does not fit its schema ${header.schema}: ${escapeControls(differing.replace(/,.*/s, ""))} differs.`,
    );
}
