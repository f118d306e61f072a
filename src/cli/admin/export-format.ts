import { sql } from "kysely";
import { z } from "zod";
import { providers } from "../../auth/session.ts";
import { interactions, NOTES_MAX } from "../../domain/review.ts";

/** The version of the format that this program writes and reads. */
export const VERSION = 1;

/** Without what PostgreSQL cannot store: NUL, and halves of surrogate pairs. */
const text = z.string().refine((value) => value.isWellFormed() && !value.includes("\0"), { error: "no plain text" });
const words = text.min(1);
const id = z.guid().lowercase();

/** As long as they may be: in UTF-16 code units, which zod's own `max` does not count. */
const notes = words.refine((value) => value.length <= NOTES_MAX, { error: `more than ${NOTES_MAX} characters` });

/** In UTC, with as many digits after the second as the database keeps, so that a time comes back as it was. */
const time = (digits: 3 | 6) => z.iso.datetime({ precision: digits }).refine((value) => !value.startsWith("0000"));

/** The first line of a file: what it is, and how much follows. */
export const headerLine = z.strictObject({
  front_row_export: z.int(),
  exported_at: time(6),
  users: z.int().nonnegative(),
  reviews: z.int().nonnegative(),
});

export type Header = z.infer<typeof headerLine>;

const identity = z.strictObject({
  id,
  provider: z.enum(providers),
  subject: words,
  email: text,
  email_verified: z.boolean(),
  created_at: time(6),
  updated_at: time(6),
  last_sign_in_at: time(6),
});

const user = z.strictObject({
  type: z.literal("user"),
  id,
  email: words,
  email_confirmed_at: time(6).nullable(),
  last_sign_in_at: time(6).nullable(),
  banned_at: time(6).nullable(),
  created_at: time(6),
  identities: z.array(identity),
});

const review = z.strictObject({
  type: z.literal("review"),
  show_id: words,
  user_id: id,
  audience_interaction: z.enum(interactions),
  notes: notes.nullable(),
  created_at: time(3),
});

/** Every further line: a user with their identities, or a review. */
export const recordLine = z.discriminatedUnion("type", [user, review]);

export type ExportedUser = z.infer<typeof user>;
export type ExportedReview = z.infer<typeof review>;

/** A column's time as `time(6)` has it. */
const exactly = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A row of `users` as a line of the file has it. */
export const userRecord = sql<ExportedUser>`json_build_object(
  'type', 'user', 'id', users.id, 'email', users.email, 'email_confirmed_at', ${exactly("users.email_confirmed_at")},
  'last_sign_in_at', ${exactly("users.last_sign_in_at")}, 'banned_at', ${exactly("users.banned_at")},
  'created_at', ${exactly("users.created_at")},
  'identities', (
    select coalesce(json_agg(json_build_object(
      'id', identities.id, 'provider', provider, 'subject', subject, 'email', identities.email,
      'email_verified', email_verified, 'created_at', ${exactly("identities.created_at")},
      'updated_at', ${exactly("identities.updated_at")}, 'last_sign_in_at', ${exactly("identities.last_sign_in_at")}
    ) order by provider, subject collate "C"), '[]')
    from identities where identities.user_id = users.id))`;

/** A row of `reviews` as a line of the file has it: its times are kept to the millisecond. */
export const reviewRecord = sql<ExportedReview>`json_build_object(
  'type', 'review', 'show_id', show_id, 'user_id', user_id, 'audience_interaction', audience_interaction, 'notes', notes,
  'created_at', to_char(reviews.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/** What the first line says of the database at hand. */
export const header = sql<Header>`json_build_object(
  'front_row_export', ${sql.lit(VERSION)},
  'exported_at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  'users', (select count(*) from users), 'reviews', (select count(*) from reviews))`;
