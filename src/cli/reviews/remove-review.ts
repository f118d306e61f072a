import { removeNotes, removeReview } from "../../reviews/store/operator-reviews.server.ts";
import { CommandError, type Db, describeShow, describeUser, findOneUser, findShow } from "../command.ts";
import { print } from "../console.ts";

export async function removeReviewOfUser(db: Db, showId: string, emailOrId: string): Promise<void> {
  const { key, what } = await findKey(db, showId, emailOrId);
  if (!(await removeReview(db, key))) throw new CommandError(`There is no review ${what}.`);
  print(`Removed the review ${what}.`);
}

export async function removeNotesOfUser(db: Db, showId: string, emailOrId: string): Promise<void> {
  const { key, what } = await findKey(db, showId, emailOrId);
  const removed = await removeNotes(db, key);
  if (removed === null) throw new CommandError(`There is no review ${what}.`);
  if (!removed) throw new CommandError(`The review ${what} has no notes.`);
  print(`Removed the notes in the review ${what}; its answer stays.`);
}

async function findKey(db: Db, showId: string, emailOrId: string) {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const what = `of ${describeShow(show)} by ${describeUser(user)}`;
  return { key: { showId: show.id, userId: user.id }, what };
}
