import { deleteByHand } from "../../reviews/store/operator-reviews.server.ts";
import { CommandError, type Db, describeShow, describeUser, findOneUser, findShow } from "../command.ts";
import { print } from "../console.ts";

export async function removeByHand(db: Db, part: "review" | "notes", showId: string, emailOrId: string) {
  const [show, user] = [await findShow(db, showId), await findOneUser(db, emailOrId)];
  const what = `of ${describeShow(show)} by ${describeUser(user)}`;
  const isDone = await deleteByHand(db, { showId: show.id, userId: user.id }, part);
  if (!isDone)
    throw new CommandError(
      `There ${part === "review" ? "is no review" : "are no notes in a review"} ${what}.`,
    );
  print(
    part === "review"
      ? `Removed the review ${what}.`
      : `Removed the notes in the review ${what}; its answer stays.`,
  );
}
