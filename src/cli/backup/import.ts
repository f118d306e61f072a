import { sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { Db } from "../command.ts";
import type { Progress } from "../progress-bar.ts";
import { disableTimeouts } from "./export.ts";
import type { ExportedReview, ExportedUser } from "./export-format.ts";
import { rejectReviewConflicts, rejectUserConflicts } from "./import-conflicts.ts";
import { type Numbered, type ReadOptions, readExport } from "./read-export.ts";

type Trx = Transaction<Schema>;

/**
 * The users and reviews that were added; `unchanged` counts those that the database already had, identical.
 */
export interface Imported {
  users: number;
  reviews: number;
  unchanged: number;
}

interface ImportOptions extends ReadOptions {
  signal: AbortSignal;
  onStored: (progress: Progress) => void;
}

/** Records that are compared and stored together: enough to be quick, few enough for one parameter. */
const BATCH_SIZE = 2_000;

/**
 * Imports an export in one transaction, which begins when the file has been read: however slow its stream,
 * nobody waits for it. Each record is compared with the database, and missing rows are inserted.
 * @throws CommandError if the file is malformed, incomplete, or conflicts with the database
 */
export async function importLines(db: Db, options: ImportOptions): Promise<Imported> {
  const { users, reviews } = await readExport(options);
  const total = users.length + reviews.length;
  let seen = 0;
  const inBatches = async <T>(records: T[], add: (batch: T[]) => Promise<number>) => {
    let added = 0;
    for (let from = 0; from < records.length; from += BATCH_SIZE) {
      const batch = records.slice(from, from + BATCH_SIZE);
      added += await add(batch);
      options.signal.throwIfAborted();
      seen += batch.length;
      options.onStored({ seen, total });
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

/** Returns the number of inserted users. Existing users were compared together with their identities. */
async function addUsers(trx: Trx, users: Numbered<ExportedUser>[]): Promise<number> {
  const lines = users.map(({ line, ...record }) => ({ line, record }));
  const imported = sql`with imported_users as materialized (
    select line, (record ->> 'id')::uuid as id, record
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as lines (line integer, record jsonb))`;
  const ids = users.map(({ id }) => id);
  await lockUsers(trx, sql`id = any (${ids}::uuid[])`, "key share");
  await rejectUserConflicts(trx, imported);
  const { numAffectedRows = 0n } = await sql`${imported}
    insert into users (id, email, email_confirmed_at, last_sign_in_at, banned_at, quarantined_at, created_at)
    select missing.* from imported_users, jsonb_to_record(record) as missing (
      id uuid, email text, email_confirmed_at timestamptz, last_sign_in_at timestamptz, banned_at timestamptz,
      quarantined_at timestamptz, created_at timestamptz)
    where not exists (select from users where users.id = imported_users.id)`.execute(trx);
  await sql`${imported}
    insert into identities (user_id, id, provider, subject, email, email_verified, created_at, updated_at, last_sign_in_at)
    select imported_users.id, missing.* from imported_users, jsonb_to_recordset(record -> 'identities') as missing (
      id uuid, provider text, subject text, email text, email_verified boolean, created_at timestamptz,
      updated_at timestamptz, last_sign_in_at timestamptz)
    where not exists (select from identities where identities.id = missing.id)`.execute(trx);
  return Number(numAffectedRows);
}

/**
 * Returns the number of inserted reviews. Exports are ordered by show, the order in which tallies are locked.
 */
async function addReviews(trx: Trx, reviews: Numbered<ExportedReview>[]): Promise<number> {
  const imported = sql`with imported_reviews as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(reviews)}::jsonb) as lines (
      line integer, show_id text, user_id uuid, audience_interaction text, notes text, created_at timestamptz(3),
      hidden_rule text))`;
  const userIds = reviews.map(({ user_id }) => user_id);
  await lockUsers(trx, sql`id = any (${userIds}::uuid[])`, "key share");
  await rejectReviewConflicts(trx, imported);
  const { numAffectedRows = 0n } = await sql`${imported}
    insert into reviews (show_id, user_id, audience_interaction, notes, created_at, hidden_rule)
    select show_id, user_id, audience_interaction, notes, created_at, hidden_rule from imported_reviews as missing
    where not exists (
      select from reviews where reviews.show_id = missing.show_id and reviews.user_id = missing.user_id)
    order by show_id, user_id`.execute(trx);
  return Number(numAffectedRows);
}
