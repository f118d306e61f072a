import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { CommandError } from "../command.ts";
import { escapeControls } from "../console.ts";
import { userRecord } from "./export-format.ts";

type Trx = Transaction<Schema>;

/** A line that conflicts with another one or with the database. `what` names its user or show. */
interface ConflictingLine {
  line: number;
  what: string;
}

/** A query for conflicting lines, and the message about one. */
interface Check {
  lines: RawBuilder<ConflictingLine>;
  messageFor: (what: string) => string;
}

/**
 * Compares users with the database.
 * @param imported the start of a statement: `imported_users` in a `with`
 * @throws CommandError that names the first conflicting line
 */
export function rejectUserConflicts(trx: Trx, imported: RawBuilder<unknown>): Promise<void> {
  return rejectConflicts(trx, imported, userChecks);
}

/** The same of reviews, `imported_reviews`, whose users are there by then. */
export function rejectReviewConflicts(trx: Trx, imported: RawBuilder<unknown>): Promise<void> {
  return rejectConflicts(trx, imported, reviewChecks);
}

async function rejectConflicts(trx: Trx, imported: RawBuilder<unknown>, checks: Check[]): Promise<void> {
  for (const { lines, messageFor } of checks) {
    const { rows } = await sql<ConflictingLine>`${imported} ${lines} order by line limit 1`.execute(trx);
    if (rows[0]) throw new CommandError(`Line ${rows[0].line}: ${messageFor(escapeControls(rows[0].what))}.`);
  }
}

const confirmed = sql`record ->> 'email_confirmed_at' is not null`;

const identities = sql`imported_users,
  jsonb_to_recordset(record -> 'identities') as imported (id uuid, provider text, subject text)`;

const userChecks: Check[] = [
  {
    lines: sql`
      select line, users.id::text as what from imported_users join users using (id) where record <> ${userRecord}::jsonb`,
    messageFor: (what) => `the user ${what} is here already, and differs`,
  },
  {
    lines: sql`
      select line, users.id::text as what from imported_users join users
        on email_key(users.email) = email_key(record ->> 'email') and users.id <> imported_users.id
      where ${confirmed} and users.email_confirmed_at is not null
      union all
      select line, identities.user_id::text from ${identities} join identities
        on (identities.provider, identities.subject) = (imported.provider, imported.subject) or identities.id = imported.id
      where identities.user_id <> imported_users.id`,
    messageFor: (what) => `the user ${what}, who is here, has the same e-mail or identity`,
  },
];

const reviewChecks: Check[] = [
  {
    lines: sql`
      select line, show_id as what from imported_reviews
      where not exists (select from shows where shows.id = show_id)`,
    messageFor: (what) => `there is no show ${what}`,
  },
  {
    lines: sql`
      select line, user_id::text as what from imported_reviews
      where not exists (select from users where users.id = user_id)`,
    messageFor: (what) => `there is no user ${what}`,
  },
  {
    lines: sql`select line, show_id as what from imported_reviews where notes !~ '\\S'`,
    messageFor: (what) => `the notes about the show ${what} are blank`,
  },
  {
    lines: sql`
      select line, show_id as what from imported_reviews join reviews using (show_id, user_id)
      where (reviews.audience_interaction, reviews.notes, reviews.created_at, reviews.hidden_rule) is distinct from
        (imported_reviews.audience_interaction, imported_reviews.notes, imported_reviews.created_at, imported_reviews.hidden_rule)`,
    messageFor: (what) => `this user's review of the show ${what} is here already, and differs`,
  },
];
