import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import { type Db, isRowId, type Trx } from "../../database/schema.server.ts";

interface ShowPair {
  from: string;
  to: string;
}

export type MoveCounts = {
  /** Users who had reviewed one of the two shows. Their review is now a review of the other one. */
  moved: number;
  /** Users who had reviewed both shows. Their two reviews were exchanged. */
  swapped: number;
  /** Users whose reviews have not changed. */
  stayed: number;
};

type Plan = readonly { user_id: string; outcome: keyof MoveCounts }[];

/** docs/product.md §5.19. @returns the move's id, to undo it, and counts */
export function moveReviews(
  db: Db,
  shows: ShowPair,
): Promise<(MoveCounts & { id: string }) | { refused: "nothing_to_move" }> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const authors = await lockAuthors(trx, sql`show_id = ${shows.from}`);
    const plan = await planMove(trx, shows, authors);
    const counts = countPlan(plan);
    if (counts.moved + counts.swapped === 0) return { refused: "nothing_to_move" };
    const id = await writeAudit(trx, "move-reviews", {
      from_show_id: shows.from,
      to_show_id: shows.to,
      ...counts,
    });
    await changeShows(trx, shows, plan, id);
    return { id, ...counts };
  });
}

/** Later replacements and moves stay. */
export function undoMove(
  db: Db,
  id: string,
): Promise<(MoveCounts & ShowPair) | { refused: "nothing_to_undo" }> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const shows = await findMove(trx, id);
    if (!shows) return { refused: "nothing_to_undo" };
    const authors = await lockAuthors(trx, sql`${isOf(shows)} and moved_by = ${id}`);
    if (authors.length === 0) return { refused: "nothing_to_undo" };
    const plan = await planUndo(trx, shows, authors, id);
    await changeShows(trx, shows, plan, null);
    await sql`update reviews set moved_by = null where ${isOf(shows)} and moved_by = ${id}`.execute(trx);
    const counts = countPlan(plan);
    await writeAudit(trx, "undo-move", { move_id: id, ...counts });
    return { ...counts, ...shows };
  });
}

const moveDetails = z.object({ from_show_id: z.string(), to_show_id: z.string() });

async function findMove(trx: Trx, id: string): Promise<ShowPair | null> {
  if (!isRowId(id)) return null;
  const { rows } = await sql<{ details: unknown }>`
    select details from audit where id = ${id} and action = 'move-reviews'`.execute(trx);
  if (!rows[0]) return null;
  const { from_show_id: from, to_show_id: to } = moveDetails.parse(rows[0].details);
  return { from, to };
}

async function lockAuthors(trx: Trx, ofReviews: RawBuilder<unknown>): Promise<string[]> {
  const authors = await lockUsers(trx, sql`id in (select user_id from reviews where ${ofReviews})`);
  return authors.map(({ id }) => id);
}

async function planMove(trx: Trx, { from, to }: ShowPair, authors: readonly string[]): Promise<Plan> {
  const { rows } = await sql<Plan[number]>`
    select review.user_id,
      case when other.user_id is null then 'moved'
        when (review.removal is distinct from 'review', review.created_at)
          > (other.removal is distinct from 'review', other.created_at) then 'swapped' else 'stayed' end as outcome
    from reviews as review
    left join reviews as other on other.show_id = ${to} and other.user_id = review.user_id
    where review.show_id = ${from} and review.user_id = any (${authors}::uuid[])`.execute(trx);
  return rows;
}

/** Only reviews of this move go back. They never displace another review. */
async function planUndo(trx: Trx, shows: ShowPair, authors: readonly string[], id: string): Promise<Plan> {
  const { rows } = await sql<Plan[number]>`
    select user_id,
      case when not bool_and(moved_by is not distinct from ${id}::bigint) then 'stayed'
        when count(*) = 2 then 'swapped' else 'moved' end as outcome
    from reviews where ${isOf(shows)} and user_id = any (${authors}::uuid[]) group by user_id`.execute(trx);
  return rows;
}

function authorsOf(plan: Plan, planned: keyof MoveCounts): string[] {
  return plan.filter(({ outcome }) => outcome === planned).map(({ user_id }) => user_id);
}

function countPlan(plan: Plan): MoveCounts {
  const count = (planned: keyof MoveCounts) => authorsOf(plan, planned).length;
  return { moved: count("moved"), swapped: count("swapped"), stayed: count("stayed") };
}

/** Two rows of one user cannot swap their keys, so they swap contents. Reports follow the contents. */
async function changeShows(trx: Trx, shows: ShowPair, plan: Plan, move: string | null): Promise<void> {
  const [moved, swapped] = [authorsOf(plan, "moved"), authorsOf(plan, "swapped")];
  await sql`
    update reviews set audience_interaction = other.audience_interaction, notes = other.notes,
      note_id = other.note_id, created_at = other.created_at, hidden_rule = other.hidden_rule,
      hidden_at = other.hidden_at, hidden_hash = other.hidden_hash, overridden_rule = other.overridden_rule,
      removal = other.removal, removed_at = other.removed_at, moved_by = ${move}
    from reviews as other
    where ${isOf(shows)} and reviews.user_id = any (${swapped}::uuid[])
      and ${isOf(shows, "other")} and other.user_id = reviews.user_id
      and other.show_id <> reviews.show_id`.execute(trx);
  await sql`
    update reviews set show_id = case show_id when ${shows.from} then ${shows.to} else ${shows.from} end, moved_by = ${move}
    where ${isOf(shows)} and user_id = any (${moved}::uuid[])`.execute(trx);
  await sql`
    update reports set show_id = case show_id when ${shows.from} then ${shows.to} else ${shows.from} end
    where ${isOf(shows, "reports")} and author_id = any (${[...moved, ...swapped]}::uuid[])`.execute(trx);
}

function isOf({ from, to }: ShowPair, table = "reviews"): RawBuilder<unknown> {
  return sql`${sql.ref(`${table}.show_id`)} in (${from}, ${to})`;
}
