import { expect } from "vitest";
import type { Reviewer } from "../../../dev/harness/reviewers.ts";
import type { Db } from "../../../src/database/schema.server.ts";
import { savedReview } from "../../../src/domain/review-dto.ts";
import type { FuzzResponse, RequestDraft } from "./request.ts";

type Row = { show_id: string; user_id: string; audience_interaction: string; notes: string | null };
type Exchange = { draft: RequestDraft; response: FuzzResponse };
const keyOf = ({ show_id, user_id }: Row) => `${show_id} ${user_id}`;
const contentOf = ({ audience_interaction, notes }: Row) => JSON.stringify([audience_interaction, notes]);

export async function trackStoredReviews(db: Db, ignored: Reviewer) {
  async function read(): Promise<Map<string, string>> {
    const columns = ["show_id", "user_id", "audience_interaction", "notes"] as const;
    const rows = await db.selectFrom("reviews").select(columns).where("user_id", "<>", ignored.id).execute();
    return new Map(rows.map((row) => [keyOf(row), contentOf(row)]));
  }
  let known = await read();
  return {
    /** Each stored review is the acknowledged one, or unchanged without one, or missing after an acknowledged deletion. */
    async expectOnlyAcknowledged(exchanges: readonly Exchange[]): Promise<void> {
      const acknowledged = exchanges
        .filter(({ response: { status, body } }) => status === 200 && body.startsWith('{"review":'))
        .map(({ response }) => savedReview.parse(JSON.parse(response.body)).review);
      const cleared = new Set(exchanges.filter(isDeletion).flatMap(({ draft }) => showIdsOf(draft)));
      const before = known;
      const found = await read();
      known = found; // so that a difference fails only one check
      for (const key of new Set([...before.keys(), ...found.keys(), ...acknowledged.map(keyOf)])) {
        const contents = acknowledged.filter((review) => keyOf(review) === key).map(contentOf);
        const allowed = contents.length > 0 ? contents : [before.get(key)];
        const gone = cleared.has(key.split(" ")[0] ?? "") ? [undefined] : [];
        expect([...allowed, ...gone]).toContain(found.get(key));
      }
    },
  };
}

function isDeletion({ draft, response: { status, body } }: Exchange): boolean {
  return draft.method === "DELETE" && status === 200 && body.startsWith('{"reviews":{"no":');
}

function showIdsOf({ query }: RequestDraft): string[] {
  return new URLSearchParams(query.map((pair) => pair.join("=")).join("&")).getAll("show_id");
}
