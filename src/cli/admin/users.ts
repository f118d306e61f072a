import { banUser, deleteUser, unbanUser } from "../../auth/store/manage-users.server.ts";
import { plural } from "../progress-bar.ts";
import { type Db, findOneUser, nameOf, Refusal } from "./command.ts";
import { print } from "./console.ts";

/** `delete-user <e-mail or id>` */
export async function removeUser(db: Db, who: string): Promise<number> {
  const user = await findOneUser(db, who);
  const deleted = (await deleteUser(db, user.id)) ?? gone(who);
  const { identities, sessions, reviews } = deleted;
  const what = [plural(identities, "identity", "identities"), plural(sessions, "session"), plural(reviews, "review")];
  print(`Deleted ${nameOf(user)}: ${what.join(", ")}.`);
  return 0;
}

/** `ban-user <e-mail or id> [--remove-reviews]` */
export async function ban(db: Db, who: string, removeReviews: boolean): Promise<number> {
  const user = await findOneUser(db, who);
  const banned = (await banUser(db, user.id, { removeReviews })) ?? gone(who);
  const ended = `${plural(banned.sessions, "session")} and ${plural(banned.flows, "sign-in")} under way ended`;
  const reviews = removeReviews ? `${plural(banned.reviews, "review")} removed` : "reviews stay";
  print(`${banned.wasBanned ? "Was banned before:" : "Banned"} ${nameOf(user)}: ${ended}, ${reviews}.`);
  return 0;
}

/** `unban-user <e-mail or id>` */
export async function unban(db: Db, who: string): Promise<number> {
  const user = await findOneUser(db, who);
  const wasBanned = (await unbanUser(db, user.id)) ?? gone(who);
  if (!wasBanned) throw new Refusal(`${nameOf(user)} is not banned.`);
  print(`${nameOf(user)} may sign in again.`);
  return 0;
}

/** @throws Refusal of a user who was there a moment ago */
function gone(who: string): never {
  throw new Refusal(`The user ${who} is gone already.`);
}
