import { sql, type Transaction } from "kysely";
import { writeAudit } from "../../database/audit-log.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { Progress } from "../progress-bar.ts";
import { takeAnyTime } from "./any-time.ts";
import type { Db } from "./command.ts";
import { refuseConflicts } from "./import-conflicts.ts";
import { FIRST_RECORD, putAside, type ReadingOptions } from "./import-reading.ts";

type Trx = Transaction<Schema>;

/** How many users and reviews an import has added; how many were there already, just as the file has them. */
export interface Imported {
  users: number;
  reviews: number;
  unchanged: number;
}

interface ImportOptions extends ReadingOptions {
  onStored: (progress: Progress) => void;
}

/**
 * Brings in what an export wrote, in one transaction. The lines are put aside first, which keeps nobody waiting however slowly
 * they come; then they are compared with what is there, and what is missing is added.
 * @throws Refusal, with nothing changed, of a file that is malformed or not whole, and of anything that is there and differs
 */
export function importLines(db: Db, options: ImportOptions): Promise<Imported> {
  return db.transaction().execute(async (trx) => {
    await takeAnyTime(trx);
    const records = await putAside(trx, options);
    await refuseConflicts(trx);
    const added = { users: await addUsers(trx), reviews: await addReviews(trx, records, options) };
    const unchanged = records - added.users - added.reviews;
    if (unchanged < records) await writeAudit(trx, "import", added);
    return { ...added, unchanged };
  });
}

/** Answers how many were missing. The identities of those who are here are here, too: they were compared. */
async function addUsers(trx: Trx): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into users (id, email, email_confirmed_at, last_sign_in_at, banned_at, created_at)
    select missing.* from imported_users, jsonb_to_record(record) as missing (
      id uuid, email text, email_confirmed_at timestamptz, last_sign_in_at timestamptz, banned_at timestamptz,
      created_at timestamptz)
    where not exists (select from users where users.id = imported_users.id)`.execute(trx);
  await sql`
    insert into identities (user_id, id, provider, subject, email, email_verified, created_at, updated_at, last_sign_in_at)
    select imported_users.id, missing.* from imported_users, jsonb_to_recordset(record -> 'identities') as missing (
      id uuid, provider text, subject text, email text, email_verified boolean, created_at timestamptz,
      updated_at timestamptz, last_sign_in_at timestamptz)
    where not exists (select from identities where identities.id = missing.id)`.execute(trx);
  return Number(numAffectedRows);
}

/** Lines whose reviews are added by one statement: so many that the tallies are few, so few that it is quick. */
const AT_ONCE = 2_000;

/** Answers how many were missing. An export has them in the order of the shows, in which tallies are locked elsewhere, too. */
async function addReviews(trx: Trx, total: number, { signal, onStored }: ImportOptions): Promise<number> {
  let added = 0n;
  for (let seen = 0; seen < total; ) {
    const from = FIRST_RECORD + seen;
    const { numAffectedRows = 0n } = await sql`
      insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
      select show_id, user_id, audience_interaction, notes, created_at from imported_reviews as missing
      where line >= ${from} and line < ${from + AT_ONCE} and not exists (
        select from reviews where reviews.show_id = missing.show_id and reviews.user_id = missing.user_id)
      order by show_id, user_id`.execute(trx);
    added += numAffectedRows;
    signal.throwIfAborted();
    seen = Math.min(seen + AT_ONCE, total);
    onStored({ seen, total });
  }
  return Number(added);
}
