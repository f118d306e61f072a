import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { YearlyCounts } from "../../domain/yearly-counts.ts";
import { withTimeout } from "../../lib/timeout.server.ts";

/** How long the terms wait for the counts, in ms. */
const READ_TIMEOUT = 500;

/** The counts of each year, newest first. */
export interface YearlyCountsReader {
  /** Reads them; the last known ones while they cannot be read. */
  read(): Promise<readonly YearlyCounts[]>;
  latest(): readonly YearlyCounts[];
}

export function createYearlyCounts(db: Kysely<Schema>): YearlyCountsReader {
  let latest: readonly YearlyCounts[] = [];
  let reading: Promise<readonly YearlyCounts[]> | undefined;

  async function read(): Promise<readonly YearlyCounts[]> {
    latest = await withTimeout(READ_TIMEOUT, findYearlyCounts(db)).catch(() => latest);
    reading = undefined;
    return latest;
  }
  return {
    read() {
      reading ??= read();
      return reading;
    },
    latest: () => latest,
  };
}

/** A ban hides the note too, and whoever removes a review removes its note. */
async function findYearlyCounts(db: Kysely<Schema>): Promise<YearlyCounts[]> {
  const counted = (...events: string[]) =>
    sql`coalesce(sum(count) filter (where event = any(${events}::text[])), 0)::integer`;
  const { rows } = await sql<YearlyCounts>`
    select year,
      ${counted("report")} as reports,
      ${counted("keep")} as kept,
      ${counted("hide", "ban")} as hidden,
      ${counted("remove-note", "remove-review")} as removed,
      ${counted("ban")} as banned,
      ${counted("objection")} as objections
    from moderation_counts group by year having sum(count) > 0 order by year desc`.execute(db);
  return rows;
}
