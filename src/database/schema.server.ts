import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from "kysely";

type CreatedAt = Generated<Date>;
type Json = Record<string, unknown>;

/** The tables as Kysely sees them; `migrations/` is the truth. */
export interface Schema {
  shows: {
    id: string;
    title: string;
    website: string | null;
    artist: string | null;
    venue_name: string | null;
    genre: string | null;
    description: string | null;
    year: number;
    status: "active" | "cancelled";
    listed: Generated<boolean>;
    details: JSONColumnType<Json>;
    created_at: CreatedAt;
    updated_at: CreatedAt;
  };
  users: { id: Generated<string>; email: string; created_at: CreatedAt };
  identities: {
    provider: "google" | "github";
    subject: string;
    user_id: string;
    email: string;
    email_verified: boolean;
    created_at: CreatedAt;
  };
  reviews: {
    show_id: string;
    user_id: string;
    audience_interaction: "no" | "very_little" | "yes";
    notes: string | null;
    created_at: CreatedAt;
  };
  /** Written by the trigger on `reviews` alone. */
  tallies: {
    show_id: ColumnType<string, never, never>;
    no: ColumnType<number, never, never>;
    very_little: ColumnType<number, never, never>;
    yes: ColumnType<number, never, never>;
    latest_at: ColumnType<Date | null, never, never>;
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
    error: string | null;
  };
}
