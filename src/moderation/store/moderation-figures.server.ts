import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/** The state of moderation in numbers (docs/product.md §13.20). */
export interface ModerationFigures {
  openReports: number;
  /** Since when the oldest open report or objection waits; null if none is open. */
  oldestAt: Date | null;
  hiddenNotes: number;
}

/** Counts by small indexes, so that a scrape may ask each time. */
export async function findModerationFigures(db: Kysely<Schema>): Promise<ModerationFigures> {
  const { rows } = await sql<ModerationFigures>`
    select count(*)::integer as "openReports", min(greatest(opened_at, objected_at)) as "oldestAt",
      (select count(*)::integer from reviews where hidden_rule is not null) as "hiddenNotes"
    from reports where decided_at is null`.execute(db);
  return rows[0] ?? { openReports: 0, oldestAt: null, hiddenNotes: 0 };
}
