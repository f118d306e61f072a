import { type Kysely, sql } from "kysely";
import { expect } from "vitest";
import type { Reviewer } from "../../../dev/harness/reviewers.ts";
import type { Schema } from "../../../src/database/schema.server.ts";
import { savedReview } from "../../../src/domain/review-dto.ts";
import type { FuzzResponse } from "./request.ts";

interface Row {
  show_id: string;
  user_id: string;
  audience_interaction: string;
  notes: string | null;
}

const keyOf = ({ show_id, user_id }: Row) => `${show_id} ${user_id}`;
const saidIn = ({ audience_interaction, notes }: Row) => JSON.stringify([audience_interaction, notes]);

/** Keeps account of all reviews but those of one person. */
export async function trackStoredReviews(db: Kysely<Schema>, nobody: Reviewer) {
  async function read(): Promise<Map<string, string>> {
    const { rows } = await sql<Row>`
      select show_id, user_id, audience_interaction, notes from reviews where user_id <> ${nobody.id}`.execute(db);
    return new Map(rows.map((row) => [keyOf(row), saidIn(row)]));
  }
  let known = await read();

  return {
    /** Expects of each review that it is one of those that these answers acknowledged, or what it was before where there is none. */
    async expectOnlyAcknowledged(answers: readonly FuzzResponse[]): Promise<void> {
      const acknowledged = answers
        .filter(({ status, body }) => status === 200 && body.startsWith('{"review":'))
        .map(({ body }) => savedReview.parse(JSON.parse(body)).review);
      const before = known;
      const found = await read();
      known = found; // one request too many is told once, not with all that follow
      for (const key of new Set([...before.keys(), ...found.keys(), ...acknowledged.map(keyOf)])) {
        const written = acknowledged.filter((review) => keyOf(review) === key).map(saidIn);
        expect(written.length > 0 ? written : [before.get(key)]).toContain(found.get(key));
      }
    },
  };
}
