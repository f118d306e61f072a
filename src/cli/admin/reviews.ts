import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  findReviewsWithAuthors,
  type ReviewWithAuthor,
  removeNotes,
  removeReview,
} from "../../reviews/moderation.server.ts";
import { listenForSignals } from "../stop-signals.ts";
import { type Db, findOneUser, nameOf, Refusal, titleOf } from "./command.ts";
import { harmless, print } from "./console.ts";

/** `list-reviews [--show <id>] [--user <e-mail or id>]` */
export async function listReviews(db: Db, { show, user }: { show?: string; user?: string }): Promise<number> {
  const showId = show === undefined ? undefined : (await findShow(db, show)).id;
  const userId = user === undefined ? undefined : (await findOneUser(db, user)).id;
  const { signal, exitCode } = listenForSignals();
  try {
    const lines = Readable.from(toLines(findReviewsWithAuthors(db, { showId, userId })));
    await pipeline(lines, process.stdout, { end: false, signal });
  } catch (error) {
    if (signal.aborted) return exitCode();
    if (!isClosedPipe(error)) throw error; // `| head` has seen enough
  }
  return 0;
}

async function* toLines(reviews: AsyncIterable<ReviewWithAuthor>): AsyncGenerator<string> {
  for await (const review of reviews) yield `${toLine(review)}\n`;
}

/** When, what of, by whom, which answer, and the notes. */
function toLine({ showId, title, userId, email, interaction, notes, createdAt }: ReviewWithAuthor): string {
  const about = `${titleOf({ id: showId, title })} by ${nameOf({ id: userId, email })}`;
  return `${createdAt.toISOString()} ${about}: ${interaction}${notes === null ? "" : `: ${harmless(notes)}`}`;
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** `remove-review <show id> <e-mail or id>` */
export async function takeReview(db: Db, showId: string, who: string): Promise<number> {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, who)];
  const removed = await removeReview(db, { showId: show.id, userId: user.id });
  if (!removed) throw new Refusal(`There is no review of ${titleOf(show)} by ${nameOf(user)}.`);
  print(`Removed the review of ${titleOf(show)} by ${nameOf(user)}.`);
  return 0;
}

/** `remove-notes <show id> <e-mail or id>` */
export async function takeNotes(db: Db, showId: string, who: string): Promise<number> {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, who)];
  const removed = await removeNotes(db, { showId: show.id, userId: user.id });
  const what = `of ${titleOf(show)} by ${nameOf(user)}`;
  if (removed === null) throw new Refusal(`There is no review ${what}.`);
  if (!removed) throw new Refusal(`The review ${what} has no notes.`);
  print(`Removed the notes in the review ${what}; its answer stays.`);
  return 0;
}

/** @throws Refusal of an unknown show */
async function findShow(db: Db, id: string): Promise<{ id: string; title: string }> {
  const show = await db.selectFrom("shows").select(["id", "title"]).where("id", "=", id).executeTakeFirst();
  if (!show) throw new Refusal(`There is no show ${id}.`);
  return show;
}
