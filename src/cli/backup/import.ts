import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import { type RawBuilder, sql, type Transaction } from "kysely";
import pg from "pg";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { CommandError, type Db } from "../command.ts";
import { escapeControls, print } from "../console.ts";
import { type Progress, plural, showProgress } from "../progress-bar.ts";
import { stoppable } from "../stop-signals.ts";
import { disableTimeouts } from "./export.ts";
import { type ExportedReview, type ExportedUser, userRecord } from "./export-format.ts";
import { type Numbered, readExport } from "./read-export.ts";

type Trx = Transaction<Schema>;

export async function importAccounts(db: Db, file: string): Promise<void> {
  const reading = showProgress({ doing: "Reading", things: "users and reviews", done: "read" });
  const storing = showProgress({ doing: "Storing", things: "users and reviews", done: "stored" });
  const onStored = (progress: Progress) => {
    reading.stop();
    storing.update(progress);
  };
  try {
    const { users, reviews, unchanged } = await stoppable("Stopped; nothing was imported.", (signal) => {
      const bytes = addAbortSignal(signal, file === "-" ? process.stdin : createReadStream(file));
      return importLines(db, { bytes, signal, onRead: reading.update, onStored });
    });
    const already =
      unchanged > 0 ? ` Here already: ${plural(unchanged, "user or review", "users and reviews")}.` : "";
    print(`Imported ${plural(users, "user")} and ${plural(reviews, "review")}.${already}`);
  } catch (error) {
    throw toCommandError(error);
  } finally {
    reading.stop();
    storing.stop();
  }
}

function toCommandError(error: unknown): unknown {
  if (error instanceof CommandError) return new CommandError(`Nothing was imported. ${error.message}`);
  // A constraint is violated (23…), or another transaction waits for this one (40…).
  if (error instanceof pg.DatabaseError && /^(23|40)/.test(error.code ?? ""))
    return new CommandError(
      `Nothing was imported: ${escapeControls(`${error.message}. ${error.detail ?? ""}`)}`,
    );
  const fromSystem = error instanceof Error && "syscall" in error;
  return fromSystem ? new CommandError(`The file could not be read: ${error.message}.`) : error;
}

interface ImportOptions {
  bytes: AsyncIterable<Uint8Array>;
  signal: AbortSignal;
  onRead: (progress: Progress) => void;
  onStored: (progress: Progress) => void;
}

/** Records that are compared and stored together: enough to be quick, few enough for one parameter. */
const BATCH_SIZE = 2_000;

/**
 * Imports all or nothing, in a transaction that begins when the file has been read: nobody waits for a slow
 * stream. `unchanged` records were in the database already, identical.
 * @throws CommandError if the file is malformed or incomplete, or its records differ from the database's
 */
export async function importLines(db: Db, { bytes, signal, onRead, onStored }: ImportOptions) {
  const { users, reviews } = await readExport(bytes, onRead);
  const total = users.length + reviews.length;
  let seen = 0;
  const inBatches = async <T>(records: T[], add: (batch: T[]) => Promise<number>) => {
    let added = 0;
    for (let from = 0; from < records.length; from += BATCH_SIZE) {
      const batch = records.slice(from, from + BATCH_SIZE);
      added += await add(batch);
      signal.throwIfAborted();
      seen += batch.length;
      onStored({ seen, total });
    }
    return added;
  };
  return db.transaction().execute(async (trx) => {
    await disableTimeouts(trx);
    const added = {
      users: await inBatches(users, (batch) => addUsers(trx, batch)),
      reviews: await inBatches(reviews, (batch) => addReviews(trx, batch)),
    };
    const unchanged = total - added.users - added.reviews;
    if (unchanged < total) await writeAudit(trx, "import", added);
    return { ...added, unchanged };
  });
}

/** Returns the number of inserted users. Existing ones are compared with their identities. */
async function addUsers(trx: Trx, users: Numbered<ExportedUser>[]): Promise<number> {
  const lines = users.map(({ line, ...record }) => ({ line, record }));
  const imported = sql`with imported as materialized (
    select line, (record ->> 'id')::uuid as id, record
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as lines (line integer, record jsonb))`;
  const ids = users.map(({ id }) => id);
  await lockUsers(trx, sql`id = any (${ids}::uuid[])`, "key share");
  await refuseLine(
    trx,
    sql`${imported}
    select line, 'the user ' || users.id || ' is here already, and differs' as problem
    from imported join users using (id) where record <> ${userRecord}::jsonb`,
  );
  const { numAffectedRows = 0n } = await sql`${imported}
    insert into users (id, email, email_confirmed_at, last_sign_in_at, banned_at, quarantined_at, created_at)
    select missing.* from imported, jsonb_to_record(record) as missing (
      id uuid, email text, email_confirmed_at timestamptz, last_sign_in_at timestamptz, banned_at timestamptz,
      quarantined_at timestamptz, created_at timestamptz)
    where not exists (select from users where users.id = imported.id)`.execute(trx);
  await sql`${imported}
    insert into identities (user_id, id, provider, subject, email, email_verified, created_at, updated_at, last_sign_in_at)
    select imported.id, missing.* from imported, jsonb_to_recordset(record -> 'identities') as missing (
      id uuid, provider text, subject text, email text, email_verified boolean, created_at timestamptz,
      updated_at timestamptz, last_sign_in_at timestamptz)
    where not exists (select from identities where identities.id = missing.id and user_id = imported.id)`.execute(
    trx,
  );
  return Number(numAffectedRows);
}

/** Returns the number of inserted reviews. Exports are ordered by show, the order in which tallies are locked. */
async function addReviews(trx: Trx, reviews: Numbered<ExportedReview>[]): Promise<number> {
  const imported = sql`with imported as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb) as lines (
      line integer, show_id text, user_id uuid, audience_interaction text, notes text, created_at timestamptz(3),
      hidden_rule text))`;
  const userIds = reviews.map(({ user_id }) => user_id);
  await lockUsers(trx, sql`id = any (${userIds}::uuid[])`, "key share");
  await refuseLine(
    trx,
    sql`${imported}
    select line, case when shows.id is null then 'there is no show ' || imported.show_id
      else 'this user''s review of the show ' || imported.show_id || ' is here already, and differs' end as problem
    from imported left join shows on shows.id = show_id left join present_reviews as reviews using (show_id, user_id)
    where shows.id is null or reviews.user_id is not null and
      (reviews.audience_interaction, reviews.notes, reviews.created_at, reviews.hidden_rule) is distinct from
      (imported.audience_interaction, imported.notes, imported.created_at, imported.hidden_rule)`,
  );
  const { numAffectedRows = 0n } = await sql`${imported}
    insert into reviews (show_id, user_id, audience_interaction, notes, created_at, hidden_rule)
    select show_id, user_id, audience_interaction, notes, created_at, hidden_rule from imported
    where not exists (
      select from reviews where reviews.show_id = imported.show_id and reviews.user_id = imported.user_id)
    order by show_id, user_id`.execute(trx);
  return Number(numAffectedRows);
}

/** @throws CommandError that names the first of the lines that a query finds */
async function refuseLine(trx: Trx, lines: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ line: number; problem: string }>`${lines} order by line limit 1`.execute(trx);
  if (rows[0]) throw new CommandError(`Line ${rows[0].line}: ${escapeControls(rows[0].problem)}.`);
}
