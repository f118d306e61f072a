import { sql, type Transaction } from "kysely";
import { writeAudit } from "../../database/audit-log.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { Progress } from "../progress-bar.ts";
import type { Db } from "./command.ts";
import { disableTimeouts } from "./disable-timeouts.ts";
import { rejectConflicts } from "./import-conflicts.ts";
import { FIRST_RECORD, type StagingOptions, stageRecords } from "./import-staging.ts";

type Trx = Transaction<Schema>;

/**
 * The users and reviews that were added; `unchanged` counts those that the database already had, identical.
 */
export interface Imported {
  users: number;
  reviews: number;
  unchanged: number;
}

interface ImportOptions extends StagingOptions {
  onStored: (progress: Progress) => void;
}

/**
 * Imports an export in one transaction. All lines are staged first, which takes no locks on shared tables
 * however slow the stream is; then they are compared with the database, and missing rows are inserted.
 * @throws CommandError if the file is malformed, incomplete, or conflicts with the database
 */
export function importLines(db: Db, options: ImportOptions): Promise<Imported> {
  return db.transaction().execute(async (trx) => {
    await disableTimeouts(trx);
    const records = await stageRecords(trx, options);
    await rejectConflicts(trx);
    const added = { users: await addUsers(trx), reviews: await addReviews(trx, records, options) };
    const unchanged = records - added.users - added.reviews;
    if (unchanged < records) await writeAudit(trx, "import", added);
    return { ...added, unchanged };
  });
}

/** Returns the number of inserted users. Existing users were compared together with their identities. */
async function addUsers(trx: Trx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into users (id, email, email_confirmed_at, last_sign_in_at, banned_at, quarantined_at, created_at)
    select missing.* from imported_users, jsonb_to_record(record) as missing (
      id uuid, email text, email_confirmed_at timestamptz, last_sign_in_at timestamptz, banned_at timestamptz,
      quarantined_at timestamptz, created_at timestamptz)
    where not exists (select from users where users.id = imported_users.id)`.execute(trx);
  await sql`
    insert into identities (user_id, id, provider, subject, email, email_verified, created_at, updated_at, last_sign_in_at)
    select imported_users.id, missing.* from imported_users, jsonb_to_recordset(record -> 'identities') as missing (
      id uuid, provider text, subject text, email text, email_verified boolean, created_at timestamptz,
      updated_at timestamptz, last_sign_in_at timestamptz)
    where not exists (select from identities where identities.id = missing.id)`.execute(trx);
  return Number(numAffectedRows);
}

/** Reviews per statement: large enough to update few tallies twice, small enough to be quick. */
const BATCH_SIZE = 2_000;

/**
 * Returns the number of inserted reviews. Exports are ordered by show, the order in which tallies are locked.
 */
async function addReviews(trx: Trx, total: number, { signal, onStored }: ImportOptions): Promise<number> {
  let added = 0n;
  for (let seen = 0; seen < total; ) {
    const from = FIRST_RECORD + seen;
    const { numAffectedRows = 0n } = await sql`
      insert into reviews (show_id, user_id, audience_interaction, notes, created_at, hidden_rule)
      select show_id, user_id, audience_interaction, notes, created_at, hidden_rule from imported_reviews as missing
      where line >= ${from} and line < ${from + BATCH_SIZE} and not exists (
        select from reviews where reviews.show_id = missing.show_id and reviews.user_id = missing.user_id)
      order by show_id, user_id`.execute(trx);
    added += numAffectedRows;
    signal.throwIfAborted();
    seen = Math.min(seen + BATCH_SIZE, total);
    onStored({ seen, total });
  }
  return Number(added);
}
