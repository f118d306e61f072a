import { sql } from "kysely";
import { z } from "zod";
import { providers } from "../../auth/session.ts";
import { isoTime } from "../../database/query/column-types.server.ts";
import { reportReasons } from "../../domain/report.ts";
import { interactions, NOTES_MAX } from "../../domain/review.ts";

export const VERSION = 1;

/** PostgreSQL cannot store NUL and lone surrogates. */
const text = z
  .string()
  .refine((value) => value.isWellFormed() && !value.includes("\0"), { error: "no plain text" });
const nonEmptyText = text.min(1);
const id = z.guid().lowercase();

/** In UTF-16 code units (docs/product.md §5.6), which zod's own `max` does not count. */
const notes = nonEmptyText.refine((value) => value.length <= NOTES_MAX, {
  error: `more than ${NOTES_MAX} characters`,
});

/** In UTC with the precision of its column, so that an import restores it exactly. */
const time = (digits: 3 | 6) =>
  z.iso.datetime({ precision: digits }).refine((value) => !value.startsWith("0000"));

/** The first line of an export: its version and counts. */
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
  subject: nonEmptyText,
  email: text,
  email_verified: z.boolean(),
  created_at: time(6),
  updated_at: time(6),
  last_sign_in_at: time(6),
});

const user = z.strictObject({
  type: z.literal("user"),
  id,
  email: nonEmptyText,
  email_confirmed_at: time(6).nullable(),
  last_sign_in_at: time(6).nullable(),
  banned_at: time(6).nullable(),
  quarantined_at: time(6).nullable().default(null), // missing in older exports
  created_at: time(6),
  identities: z.array(identity),
});

const review = z.strictObject({
  type: z.literal("review"),
  show_id: nonEmptyText,
  user_id: id,
  audience_interaction: z.enum(interactions),
  notes: notes.nullable(),
  created_at: time(3),
  hidden_rule: z.enum(reportReasons).nullable().default(null), // missing in older exports
});

/** Every further line: a user with identities, or a review. */
export const recordLine = z.discriminatedUnion("type", [user, review]);

export type ExportedUser = z.infer<typeof user>;
export type ExportedReview = z.infer<typeof review>;

const microseconds = (column: string) => isoTime(column, "US");

export const userRecord = sql<ExportedUser>`json_build_object(
  'type', 'user', 'id', users.id, 'email', users.email, 'email_confirmed_at', ${microseconds("users.email_confirmed_at")},
  'last_sign_in_at', ${microseconds("users.last_sign_in_at")}, 'banned_at', ${microseconds("users.banned_at")},
  'quarantined_at', ${microseconds("users.quarantined_at")}, 'created_at', ${microseconds("users.created_at")},
  'identities', (
    select coalesce(json_agg(json_build_object(
      'id', identities.id, 'provider', provider, 'subject', subject, 'email', identities.email,
      'email_verified', email_verified, 'created_at', ${microseconds("identities.created_at")},
      'updated_at', ${microseconds("identities.updated_at")}, 'last_sign_in_at', ${microseconds("identities.last_sign_in_at")}
    ) order by provider, subject collate "C"), '[]')
    from identities where identities.user_id = users.id))`;

export const reviewRecord = sql<ExportedReview>`json_build_object(
  'type', 'review', 'show_id', show_id, 'user_id', user_id, 'audience_interaction', audience_interaction, 'notes', notes,
  'created_at', ${isoTime("reviews.created_at")}, 'hidden_rule', hidden_rule)`;

export const header = sql<Header>`json_build_object(
  'front_row_export', ${sql.lit(VERSION)},
  'exported_at', ${isoTime(sql`now()`, "US")},
  'users', (select count(*) from users), 'reviews', (select count(*) from present_reviews))`;
