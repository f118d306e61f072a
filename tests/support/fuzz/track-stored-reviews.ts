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
const contentOf = ({ audience_interaction, notes }: Row) => JSON.stringify([audience_interaction, notes]);

/** Tracks all stored reviews except those of one user. */
export async function trackStoredReviews(db: Kysely<Schema>, ignored: Reviewer) {
  async function read(): Promise<Map<string, string>> {
    const { rows } = await sql<Row>`
      select show_id, user_id, audience_interaction, notes from reviews where user_id <> ${ignored.id}`.execute(
      db,
    );
    return new Map(rows.map((row) => [keyOf(row), contentOf(row)]));
  }
  let known = await read();

  return {
    /**
     * Expects that each review is one that these responses acknowledged, or unchanged if they acknowledged
     * none. If one of them acknowledged a deletion, a review may be gone.
     */
    async expectOnlyAcknowledged(responses: readonly FuzzResponse[]): Promise<void> {
      const acknowledged = responses
        .filter(({ status, body }) => status === 200 && body.startsWith('{"review":'))
        .map(({ body }) => savedReview.parse(JSON.parse(body)).review);
      const isDeletion = ({ status, body }: FuzzResponse) =>
        status === 200 && body.startsWith('{"reviews":{"no":');
      const gone = responses.some(isDeletion) ? [undefined] : [];
      const before = known;
      const found = await read();
      known = found; // so that a difference fails only one check
      for (const key of new Set([...before.keys(), ...found.keys(), ...acknowledged.map(keyOf)])) {
        const contents = acknowledged.filter((review) => keyOf(review) === key).map(contentOf);
        const allowed = contents.length > 0 ? contents : [before.get(key)];
        expect([...allowed, ...gone]).toContain(found.get(key));
      }
    },
  };
}
