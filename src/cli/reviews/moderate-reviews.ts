import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { type UnhideRefusal, unhideNotes } from "../../moderation/store/unhide-notes.server.ts";
import {
  closeReviews,
  countReviews,
  deleteByHand,
  openReviews,
  removeReviews,
} from "../../reviews/store/operator-reviews.server.ts";
import { describeShow, describeUser, findOneUser, findSelection, findShow } from "../command.ts";
import { countOf, print } from "../console.ts";

export async function removeSelectedReviews(
  db: Db,
  { since, dryRun, ...selection }: { show?: string; user?: string; since?: Date; dryRun?: boolean },
): Promise<void> {
  const filter = { ...(await findSelection(db, selection)), since };
  if (!dryRun) return print(`Removed ${countOf(await removeReviews(db, filter), "review")}.`);
  const { reviews, shows, users } = await countReviews(db, filter);
  print(
    `Would remove ${countOf(reviews, "review")} of ${countOf(shows, "show")} by ${countOf(users, "user")}. Nothing was changed.`,
  );
}

export async function closeForReviews(db: Db, { show }: { show?: string }): Promise<void> {
  const closed = show === undefined ? null : await findShow(db, show);
  const refusal = await closeReviews(db, closed?.id ?? null);
  if (refusal) throw new OperatorError("They are closed already.");
  const of = closed ? ` --show ${closed.id}` : "";
  print(`No reviews of ${describeTarget(closed)} can be written. Undo: npm run admin -- open-reviews${of}`);
}

export async function openForReviews(db: Db, { show }: { show?: string }): Promise<void> {
  const opened = show === undefined ? null : await findShow(db, show);
  const result = await openReviews(db, opened?.id ?? null);
  const others = result.closures === 0 ? "" : ` Other closures that stay: ${result.closures}.`;
  if ("refused" in result)
    throw new OperatorError(`There is no closure of ${describeTarget(opened)}.${others}`);
  print(`Reviews of ${describeTarget(opened)} can be written again.${others}`);
}

function describeTarget(show: { title: string; id: string } | null): string {
  return show ? describeShow(show) : "any show";
}

export async function removeByHand(db: Db, part: "review" | "notes", showId: string, emailOrId: string) {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const what = `of ${describeShow(show)} by ${describeUser(user)}`;
  const isReview = part === "review";
  if (await deleteByHand(db, { showId: show.id, userId: user.id }, part))
    throw new OperatorError(`There ${isReview ? "is no" : "are no notes in a"} review ${what}.`);
  print(
    isReview ? `Removed the review ${what}.` : `Removed the notes in the review ${what}; its answer stays.`,
  );
}

export async function unhide(db: Db, showId: string, emailOrId: string): Promise<void> {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const refusal = await unhideNotes(db, { showId: show.id, userId: user.id });
  if (refusal) throw new OperatorError(describeUnhideRefusal(refusal));
  print(`The notes of ${describeShow(show)} by ${describeUser(user)} are shown again.`);
}

function describeUnhideRefusal(refusal: UnhideRefusal): string {
  switch (refusal.refused) {
    case "no_notes":
      return "This user has no notes of this show, or they were removed.";
    case "not_hidden":
      return "These notes are not hidden.";
    case "report_decided":
      return `A report of them is there: npm run admin -- undo ${refusal.decisionId}`;
    case "report_waits":
      return `A report of them waits: decide on report ${refusal.reportId}, by a link: npm run admin -- queue-link <name>`;
  }
}
