import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type MoveCounts, moveReviews, undoMove } from "../../reviews/store/move-reviews.server.ts";
import { describeShow, findShow } from "../command.ts";
import { countOf, formatCount, print } from "../console.ts";

export async function moveReviewsOfShow(db: Db, fromId: string, toId: string): Promise<void> {
  const [from, to] = [await findShow(db, fromId), await findShow(db, toId)];
  if (from.id === to.id) throw new OperatorError("The two shows are the same one: name two.");
  if (!to.listed || to.year !== from.year)
    throw new OperatorError(`${describeShow(to)} is not in the list of ${from.year}.`);
  const move = await moveReviews(db, { from: from.id, to: to.id });
  if ("refused" in move) {
    throw new OperatorError(
      `${describeShow(from)} has no review to move: none at all, or only older ones by users who reviewed both.`,
    );
  }
  const where = `from ${describeShow(from)} to ${describeShow(to)}`;
  const what = describeMove(move, { where, whyStayed: "their users have others there that are no older" });
  print(`${what} Undo: npm run admin -- undo-move ${move.id}`);
}

export async function undoMoveOfReviews(db: Db, id: string): Promise<void> {
  const undone = await undoMove(db, id);
  if ("refused" in undone)
    throw new OperatorError(`There is no move ${id}, or nothing of it is left to undo.`);
  const [from, to] = [await findShow(db, undone.from), await findShow(db, undone.to)];
  const where = `back from ${describeShow(to)} to ${describeShow(from)}`;
  print(describeMove(undone, { where, whyStayed: "their users have written since" }));
}

function describeMove(
  { moved, swapped, stayed }: MoveCounts,
  { where, whyStayed }: { where: string; whyStayed: string },
): string {
  const parts = [`Moved ${countOf(moved + swapped, "review")} ${where}`];
  if (swapped > 0) parts.push(`in exchange for another by the same user: ${formatCount(swapped)}`);
  if (stayed > 0) parts.push(`not moved, because ${whyStayed}: ${formatCount(stayed)}`);
  return `${parts.join("; ")}.`;
}
