import type { LogEvent } from "kysely";
import { pino } from "pino";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { readSnapshot } from "../../src/catalogue/snapshot-queries.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { createBuiltApp } from "../../tests/support/built-app.ts";
import { type InventedReviewer, reviewHeaders } from "../../tests/support/reviewers.ts";

/** What the product sends to the database for one review, and what of it is this review's own. */
export interface RecordedWrite {
  statements: { sql: string; parameters: readonly unknown[] }[];
  userId: string;
  sessionId: string;
  showId: string;
  answer: string;
  notes: string;
}

/** Has the product write a review, and listens in. A write before that has it read what it reads once. */
export async function recordWrite(
  url: string,
  origin: string,
  reviewer: InventedReviewer,
  showIds: readonly string[],
): Promise<RecordedWrite> {
  let statements: RecordedWrite["statements"] = [];
  const log = pino({ level: "silent" });
  const logQueries = ({ query: { sql, parameters } }: LogEvent) => void statements.push({ sql, parameters });
  const database = connectDatabase(url, log, async () => {}, { logQueries });
  try {
    const catalogue = createCatalogue();
    await catalogue.replace(() => readSnapshot(database.db));
    const { ask } = await createBuiltApp(database, { catalogue, origin });
    const [first = "", showId = ""] = showIds;
    const answer = "very_little";
    const notes = "As it was told to the one who listens in.";
    const write = async (show_id: string) => {
      const body = JSON.stringify({ show_id, user_id: reviewer.id, audience_interaction: answer, notes });
      const { status } = await ask("/api/reviews", { method: "PUT", headers: reviewHeaders(reviewer), body });
      if (status !== 200) throw new Error(`A review was answered with ${status}`);
    };
    await write(first);
    statements = [];
    await write(showId);
    const { id: userId, sessionId } = reviewer;
    return { statements, userId, sessionId, showId, answer, notes };
  } finally {
    await database.close();
  }
}
