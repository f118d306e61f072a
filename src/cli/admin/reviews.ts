import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createSearchMatcher } from "../../catalogue/search-folding.ts";
import { YEAR } from "../../domain/show.ts";
import { type MoveCounts, moveReviews, undoMove } from "../../reviews/store/move-reviews.server.ts";
import {
  findReviewsWithAuthors,
  type ReviewWithAuthor,
  removeNotes,
  removeReview,
} from "../../reviews/store/operator-reviews.server.ts";
import { count, plural } from "../progress-bar.ts";
import { abortOnSignals } from "../stop-signals.ts";
import { CommandError, type Db, describeShow, describeUser, findOneUser, findShow } from "./command.ts";
import { escapeControls, print } from "./console.ts";

/** `list-reviews [--show <id>] [--user <e-mail or id>]` */
export async function listReviews(db: Db, { show, user }: { show?: string; user?: string }): Promise<number> {
  const showId = show === undefined ? undefined : (await findShow(db, show)).id;
  const userId = user === undefined ? undefined : (await findOneUser(db, user)).id;
  return printReviews(findReviewsWithAuthors(db, { showId, userId }));
}

/** `newest-notes [--count <number>]` */
export function listNewestNotes(db: Db, count: number): Promise<number> {
  const notes = Readable.from(findReviewsWithAuthors(db, { withNotes: true }));
  return printReviews(notes.take(count));
}

/** `search-notes <text>`: finds as the list's search does (docs/product.md §2.6). */
export function searchNotes(db: Db, text: string): Promise<number> {
  const isFound = createSearchMatcher(text);
  const notes = Readable.from(findReviewsWithAuthors(db, { withNotes: true }));
  return printReviews(notes.filter((review: ReviewWithAuthor) => isFound(review.notes ?? "")));
}

async function printReviews(reviews: AsyncIterable<ReviewWithAuthor>): Promise<number> {
  const { signal, exitCode } = abortOnSignals();
  try {
    const lines = Readable.from(toLines(reviews));
    await pipeline(lines, process.stdout, { end: false, signal });
  } catch (error) {
    if (signal.aborted) return exitCode();
    if (!isClosedPipe(error)) throw error; // a closed pipe is fine: `| head`
  }
  return 0;
}

async function* toLines(reviews: AsyncIterable<ReviewWithAuthor>): AsyncGenerator<string> {
  for await (const review of reviews) yield `${toLine(review)}\n`;
}

/** Time, show, user, interaction and notes of a review, and whether its user is in quarantine. */
function toLine(review: ReviewWithAuthor): string {
  const { showId, title, userId, email, notes, createdAt } = review;
  const interaction = `${review.interaction}${review.counted ? "" : " (in quarantine)"}`;
  const about = `${describeShow({ id: showId, title })} by ${describeUser({ id: userId, email })}`;
  return `${createdAt.toISOString()} ${about}: ${interaction}${notes === null ? "" : `: ${escapeControls(notes)}`}`;
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** `remove-review <show id> <e-mail or id>` */
export async function runRemoveReview(db: Db, showId: string, emailOrId: string): Promise<number> {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const removed = await removeReview(db, { showId: show.id, userId: user.id });
  if (!removed)
    throw new CommandError(`There is no review of ${describeShow(show)} by ${describeUser(user)}.`);
  print(`Removed the review of ${describeShow(show)} by ${describeUser(user)}.`);
  return 0;
}

/** `remove-notes <show id> <e-mail or id>` */
export async function runRemoveNotes(db: Db, showId: string, emailOrId: string): Promise<number> {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const removed = await removeNotes(db, { showId: show.id, userId: user.id });
  const what = `of ${describeShow(show)} by ${describeUser(user)}`;
  if (removed === null) throw new CommandError(`There is no review ${what}.`);
  if (!removed) throw new CommandError(`The review ${what} has no notes.`);
  print(`Removed the notes in the review ${what}; its answer stays.`);
  return 0;
}

/** `move-reviews <from show id> <to show id>` */
export async function runMoveReviews(db: Db, fromId: string, toId: string): Promise<number> {
  const [from, to] = [await findShow(db, fromId), await findShow(db, toId)];
  if (from.id === to.id) throw new CommandError("The two shows are the same one: name two.");
  if (!to.listed || to.year !== YEAR) throw new CommandError(`${describeShow(to)} is not in the list.`);
  const move = await moveReviews(db, { from: from.id, to: to.id });
  if (!move) {
    throw new CommandError(
      `${describeShow(from)} has no review to move: none at all, or only older ones by users who reviewed both.`,
    );
  }
  const where = `from ${describeShow(from)} to ${describeShow(to)}`;
  const what = describeMove(move, { where, whyStayed: "their users have others there that are no older" });
  print(`${what} Undo: npm run admin -- undo-move ${move.id}`);
  return 0;
}

/** `undo-move <move id>` */
export async function runUndoMove(db: Db, id: string): Promise<number> {
  const undone = isAuditId(id) ? await undoMove(db, id) : null;
  if (!undone) throw new CommandError(`There is no move ${id}, or nothing of it is left to undo.`);
  const [from, to] = [await findShow(db, undone.from), await findShow(db, undone.to)];
  const where = `back from ${describeShow(to)} to ${describeShow(from)}`;
  print(describeMove(undone, { where, whyStayed: "their users have written since" }));
  return 0;
}

/** Fits PostgreSQL's bigint. */
function isAuditId(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}

function describeMove(
  { moved, swapped, stayed }: MoveCounts,
  { where, whyStayed }: { where: string; whyStayed: string },
): string {
  const parts = [`Moved ${plural(moved + swapped, "review")} ${where}`];
  if (swapped > 0) parts.push(`in exchange for another by the same user: ${count(swapped)}`);
  if (stayed > 0) parts.push(`not moved, because ${whyStayed}: ${count(stayed)}`);
  return `${parts.join("; ")}.`;
}
