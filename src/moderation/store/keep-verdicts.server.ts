import { sql } from "kysely";
import type { Trx } from "../../database/schema.server.ts";

/** They apply again if the user comes back (docs/product.md §6.18). @param owner replaces the deleted user's id */
export async function keepVerdicts(trx: Trx, userId: string, owner: string): Promise<void> {
  await sql`
    insert into text_verdicts (user_id, hash, verdict)
    select distinct on (hash) ${userId}::uuid, hash, verdict_on(author_id, hash) from decisions
    join reports on reports.id = report_id cross join unnest(array[note_hash, hidden_hash]) as hash
    where author_id = ${userId} and undone_at is null and hash is not null
    on conflict (user_id, hash) do update set verdict = excluded.verdict, at = excluded.at`.execute(trx);
  await sql`update text_verdicts set user_id = ${owner} where user_id = ${userId}`.execute(trx);
}
