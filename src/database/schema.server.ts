import {
  type ColumnType,
  type Generated,
  type GeneratedAlways,
  type JSONColumnType,
  type Kysely,
  type RawBuilder,
  sql,
  type Transaction,
} from "kysely";
import type { Provider } from "../domain/account.ts";
import type { ReportReason } from "../domain/report.ts";
import type { StoredShow } from "../domain/show.ts";

type CreatedAt = Generated<Date>;
type Json = Record<string, unknown>;

export interface Schema {
  shows: StoredShow & {
    listed: Generated<boolean>;
    warnings: Generated<string[] | null>;
    venue_address: Generated<string | null>;
    performances: Generated<string | null>;
    created_at: CreatedAt;
    updated_at: CreatedAt;
  };
  users: {
    id: Generated<string>;
    email: string;
    email_confirmed_at: Date | null;
    last_sign_in_at: Date | null;
    banned_at: Generated<Date | null>;
    quarantined_at: Generated<Date | null>;
    dismissed_reports: Generated<number>;
    created_at: CreatedAt;
  };
  audit: { id: GeneratedAlways<string>; at: CreatedAt; action: string; details: JSONColumnType<Json> };
  identities: {
    id: Generated<string>;
    provider: Provider;
    subject: string;
    user_id: string;
    email: string;
    email_verified: boolean;
    last_sign_in_at: CreatedAt;
    created_at: CreatedAt;
    updated_at: CreatedAt;
  };
  banned_identities: { hash: Buffer; banned_at: Date; ends_at: Generated<Date | null> };
  deleted_accounts: {
    hash: Buffer;
    id: string;
    quarantined_at: Date | null;
    dismissed_reports: number;
    deleted_at: CreatedAt;
    heir: string | null;
  };
  text_verdicts: { user_id: string; hash: Buffer; verdict: ReportReason | "keep"; at: CreatedAt };
  client_builds: { id: string; started_at: CreatedAt };
  client_files: { build_id: string; name: string; content: Buffer };
  signing_keys: { kid: string; private_key: JSONColumnType<Json>; created_at: CreatedAt };
  sessions: {
    id: Generated<string>;
    user_id: string;
    provider: Provider;
    refresh_key: Buffer;
    counter: Generated<string>;
    created_at: CreatedAt;
    refreshed_at: CreatedAt;
    expires_at: Date;
  };
  sign_ins: {
    id: string;
    provider: Provider;
    challenge: string;
    callback_hash: Buffer;
    returned_at: CreatedAt;
    expires_at: Date;
    location: string | null;
    code_hash: Buffer | null;
    user_id: string | null;
    exchanged_at: Date | null;
    session_id: string | null;
    authenticated_at: Date | null;
  };
  reviews: {
    show_id: string;
    user_id: string;
    audience_interaction: "no" | "very_little" | "yes";
    notes: string | null;
    created_at: CreatedAt;
    moved_by: Generated<string | null>;
    note_id: Generated<string>;
    /** Written only by triggers and the quarantine. */
    counted: Generated<boolean>;
    hidden_rule: Generated<ReportReason | null>;
    /** Triggers set these two times, with the rule and the removal. */
    hidden_at: Generated<Date | null>;
    hidden_hash: Generated<Buffer | null>;
    overridden_rule: Generated<ReportReason | null>;
    removed_at: Generated<Date | null>;
    removal: Generated<"note" | "review" | null>;
  };
  deleted_reviews: {
    /** The id of a user or of a deleted account. */
    user_id: string;
    show_id: string;
    created_at: Date;
    deleted_at: CreatedAt;
    hidden_rule: ReportReason | null;
    note_hash: Buffer | null;
  };
  reports: {
    id: GeneratedAlways<string>;
    show_id: string;
    author_id: string;
    note_id: string;
    rule: ReportReason;
    opened_at: CreatedAt;
    anonymous_count: Generated<number>;
    objection: string | null;
    objected_at: Date | null;
    decided_at: Date | null;
    announced: "report" | "objection" | null;
    announced_note: string | null;
  };
  report_reasons: {
    id: GeneratedAlways<string>;
    report_id: string;
    note_id: string;
    reporter_id: string | null;
    former_reporter: string | null;
    dismissed_by: string | null;
    reason: ReportReason;
    text: string | null;
    at: CreatedAt;
  };
  decisions: {
    id: GeneratedAlways<string>;
    report_id: string;
    action: "keep" | "hide" | "remove-note" | "remove-review" | "ban";
    reason: string | null;
    at: CreatedAt;
    link: number | null;
    note_id: string | null;
    note_hash: Buffer | null;
    hidden_before: Date | null;
    hidden_hash: Buffer | null;
    undone_at: Date | null;
  };
  queue_links: {
    number: GeneratedAlways<number>;
    name: string | null;
    report_id: string | null;
    token_hash: Buffer;
    created_at: CreatedAt;
    expires_at: Date;
    revoked_at: Date | null;
  };
  announced_bursts: { at: CreatedAt };
  moderation_counts: { year: number; event: string; count: number };
  backups: { finished_at: CreatedAt };
  review_closures: { show_id: string | null; closed_at: CreatedAt };
  tallies: {
    show_id: ColumnType<string, never, never>;
    no: ColumnType<number, never, never>;
    very_little: ColumnType<number, never, never>;
    yes: ColumnType<number, never, never>;
    latest_at: ColumnType<Date | null, never, never>;
    revision: ColumnType<number, never, never>;
  };
  refreshes: {
    id: GeneratedAlways<string>;
    started_at: CreatedAt;
    finished_at: Date | null;
    outcome: "succeeded" | "failed" | "refused" | "interrupted" | null;
    listed: number | null;
    added: number | null;
    changed: number | null;
    removed: number | null;
    returned: number | null;
    skipped: number | null;
    gap: number | null;
    error: string | null;
  };
}

export type Db = Kysely<Schema>;

export type Trx = Transaction<Schema>;

export function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}

/** In the format of `Date.prototype.toISOString`. */
export function isoTime<T = string>(time: string | RawBuilder<Date>): RawBuilder<T> {
  const value = typeof time === "string" ? sql.ref(time) : time;
  return sql<T>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
