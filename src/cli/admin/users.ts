import { banUser, deleteUser, unbanUser } from "../../auth/store/manage-users.server.ts";
import { plural } from "../progress-bar.ts";
import { CommandError, type Db, describeUser, findOneUser } from "./command.ts";
import { print } from "./console.ts";

/** `delete-user <e-mail or id>` */
export async function runDeleteUser(db: Db, emailOrId: string): Promise<number> {
  const user = await findOneUser(db, emailOrId);
  const deleted = (await deleteUser(db, user.id)) ?? throwDeleted(emailOrId);
  const { identities, sessions, reviews } = deleted;
  const what = [
    plural(identities, "identity", "identities"),
    plural(sessions, "session"),
    plural(reviews, "review"),
  ];
  print(`Deleted ${describeUser(user)}: ${what.join(", ")}.`);
  return 0;
}

/** `ban-user <e-mail or id> [--remove-reviews]` */
export async function runBanUser(db: Db, emailOrId: string, removeReviews: boolean): Promise<number> {
  const user = await findOneUser(db, emailOrId);
  const banned = (await banUser(db, user.id, { removeReviews })) ?? throwDeleted(emailOrId);
  const ended = `${plural(banned.sessions, "session")} and ${plural(banned.signIns, "sign-in")} under way ended`;
  const reviews = removeReviews ? `${plural(banned.reviews, "review")} removed` : "reviews stay";
  print(`${banned.wasBanned ? "Was banned before:" : "Banned"} ${describeUser(user)}: ${ended}, ${reviews}.`);
  return 0;
}

/** `unban-user <e-mail or id>` */
export async function runUnbanUser(db: Db, emailOrId: string): Promise<number> {
  const user = await findOneUser(db, emailOrId);
  const wasBanned = (await unbanUser(db, user.id)) ?? throwDeleted(emailOrId);
  if (!wasBanned) throw new CommandError(`${describeUser(user)} is not banned.`);
  print(`${describeUser(user)} may sign in again.`);
  return 0;
}

/** @throws CommandError that the user was deleted meanwhile */
function throwDeleted(emailOrId: string): never {
  throw new CommandError(`The user ${emailOrId} is gone already.`);
}
