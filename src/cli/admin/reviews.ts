import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  findReviewsWithAuthors,
  type ReviewWithAuthor,
  removeNotes,
  removeReview,
} from "../../reviews/moderation.server.ts";
import { abortOnSignals } from "../stop-signals.ts";
import { CommandError, type Db, describeShow, describeUser, findOneUser } from "./command.ts";
import { escapeControls, print } from "./console.ts";

/** `list-reviews [--show <id>] [--user <e-mail or id>]` */
export async function listReviews(db: Db, { show, user }: { show?: string; user?: string }): Promise<number> {
  const showId = show === undefined ? undefined : (await findShow(db, show)).id;
  const userId = user === undefined ? undefined : (await findOneUser(db, user)).id;
  const { signal, exitCode } = abortOnSignals();
  try {
    const lines = Readable.from(toLines(findReviewsWithAuthors(db, { showId, userId })));
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

/** Time, show, user, interaction and notes of a review. */
function toLine({ showId, title, userId, email, interaction, notes, createdAt }: ReviewWithAuthor): string {
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
  if (!removed) throw new CommandError(`There is no review of ${describeShow(show)} by ${describeUser(user)}.`);
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

/** @throws CommandError if there is no such show */
async function findShow(db: Db, id: string): Promise<{ id: string; title: string }> {
  const show = await db.selectFrom("shows").select(["id", "title"]).where("id", "=", id).executeTakeFirst();
  if (!show) throw new CommandError(`There is no show ${id}.`);
  return show;
}
