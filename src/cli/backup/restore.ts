import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import pg from "pg";
import { deleteUserWithin } from "../../accounts/end-account.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { describeOutage } from "../../database/errors.server.ts";
import { findApplied, migrateWithin, readMigrations } from "../../database/migrations/migrate.server.ts";
import { sessionTransaction } from "../../database/query/session-transaction.server.ts";
import type { Trx } from "../../database/schema.server.ts";
import { codeOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { notifyAnew } from "../../moderation/messages/notifications.server.ts";
import type { Site } from "../command.ts";
import { escapeControls, print, printError } from "../console.ts";
import { stoppable } from "../stop-signals.ts";
import { digestFile, digestOf } from "./backup.ts";
import { readDeletedUsers } from "./deleted-users.ts";
import { findOwnParts } from "./own-tables.ts";
import { runArchive } from "./run-archive.ts";

type RunOnSite = (action: (site: Site) => Promise<void>) => Promise<void>;

/** All or nothing, into a site without users. @param exceptUsers a file that names users to leave out */
export async function restore(
  run: RunOnSite,
  file: string,
  { exceptUsers }: { exceptUsers?: string },
): Promise<void> {
  let isCommitting = false;
  const work = ({ pool, config }: Site) =>
    stoppable(
      async (signal) => {
        const leftOut = exceptUsers === undefined ? new Set<string>() : await readDeletedUsers(exceptUsers);
        await requireDigest(file);
        const deleted = await sessionTransaction(pool, signal, async (trx, client) => {
          const schema = await dropTables(trx);
          await runArchive(client, file, schema, { bin: config.pgBin, signal });
          await bringUpToDate(trx);
          const result = await leaveOut(trx, leftOut);
          signal.throwIfAborted();
          isCommitting = true;
          return result;
        });
        print(`Restored ${file}.`);
        if (leftOut.size > 0) print(`Deleted users who were in it: ${deleted} of ${leftOut.size}.`);
      },
      () => (isCommitting ? unknown : "Stopped; nothing was restored."),
    );
  await run(work).catch((error: unknown) => Promise.reject(explain(error, isCommitting)));
}

/** A file that `pg_dump` wrote by itself has no digest. */
async function requireDigest(file: string): Promise<void> {
  const line = await readFile(digestFile(file), "utf8").catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  if (line !== undefined && line.slice(0, 64) !== (await digestOf(file)))
    throw new OperatorError(`The file is not what ${digestFile(file)} says: it is damaged or was cut off.`);
}

/** The lock also prevents sign-ins during the restore. */
async function dropTables(trx: Trx): Promise<string> {
  const { schema, tables } = await findOwnParts(trx);
  const names = sql.join(tables.map((name) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(trx);
  if (await trx.selectFrom("users").select("id").limit(1).executeTakeFirst())
    throw new OperatorError("The site has users: a backup is restored into a new one.");
  await sql`drop table ${names} cascade`.execute(trx);
  return schema;
}

async function bringUpToDate(trx: Trx): Promise<void> {
  const migrations = await readMigrations();
  const applied = await findApplied(trx);
  if (applied.length === 0) throw new OperatorError("The file is no backup of Front Row.");
  const newer = applied.find((name) => !migrations.has(name));
  if (newer !== undefined)
    throw new OperatorError(
      `The backup is of a newer version of Front Row (it has the migration ${escapeControls(newer)}): take that version.`,
    );
  await migrateWithin(trx, migrations);
}

/** Deletes again who left since. Returns how many of them were in the backup. */
async function leaveOut(trx: Trx, ids: Iterable<string>): Promise<number> {
  let deleted = 0;
  for (const id of ids) if (!("refused" in (await deleteUserWithin(trx, id)))) deleted += 1;
  await notifyAnew(trx);
  await writeAudit(trx, "restore", { deleted });
  await sql`notify restored`.execute(trx);
  return deleted;
}

const unknown =
  "It is not known whether the backup was restored. Run the command again: a restored site has users, and refuses it.";

/** Says whether anything was restored, whatever failed. */
function explain(error: unknown, isCommitting: boolean): unknown {
  // Otherwise the server has refused the commit.
  if (isCommitting && !(error instanceof pg.DatabaseError)) return new OperatorError(unknown);
  const reason = reasonOf(error);
  if (reason !== null) return new OperatorError(`Nothing was restored. ${reason}`);
  printError("Nothing was restored.");
  return error;
}

function reasonOf(error: unknown): string | null {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof pg.DatabaseError) return `The database refuses it: ${escapeControls(error.message)}.`;
  const isFile =
    error instanceof Error && "path" in error && "syscall" in error && error.syscall !== "connect";
  if (isFile) return `A file could not be read: ${error.message}.`;
  const outage = describeOutage(error);
  return outage === null ? null : `The database is unavailable: ${outage}`;
}
