import { banUser, deleteUser, unbanUser } from "../../src/auth/users.server.ts";
import { plural } from "../progress.ts";
import { type Command, findOneUser, nameOf, Refusal } from "./command.ts";
import { print } from "./console.ts";

/** `delete-user <e-mail or id>` */
export const removeUser: Command = {
  parameters: 1,
  options: [],
  async run(db, { values: [who] }) {
    const user = await findOneUser(db, who);
    const deleted = (await deleteUser(db, user.id)) ?? gone(who);
    const { identities, sessions, reviews } = deleted;
    const what = [plural(identities, "identity", "identities"), plural(sessions, "session"), plural(reviews, "review")];
    print(`Deleted ${nameOf(user)}: ${what.join(", ")}.`);
    return 0;
  },
};

/** `ban-user <e-mail or id> [--remove-reviews]` */
export const ban: Command = {
  parameters: 1,
  options: ["remove-reviews"],
  async run(db, { values: [who], options }) {
    const user = await findOneUser(db, who);
    const removeReviews = options["remove-reviews"] ?? false;
    const banned = (await banUser(db, user.id, { removeReviews })) ?? gone(who);
    const ended = `${plural(banned.sessions, "session")} and ${plural(banned.flows, "sign-in")} under way ended`;
    const reviews = removeReviews ? `${plural(banned.reviews, "review")} removed` : "reviews stay";
    print(`${banned.before ? "Was banned before:" : "Banned"} ${nameOf(user)}: ${ended}, ${reviews}.`);
    return 0;
  },
};

/** `unban-user <e-mail or id>` */
export const unban: Command = {
  parameters: 1,
  options: [],
  async run(db, { values: [who] }) {
    const user = await findOneUser(db, who);
    const wasBanned = (await unbanUser(db, user.id)) ?? gone(who);
    if (!wasBanned) throw new Refusal(`${nameOf(user)} is not banned.`);
    print(`${nameOf(user)} may sign in again.`);
    return 0;
  },
};

/** @throws Refusal of a user who was there a moment ago */
function gone(who = ""): never {
  throw new Refusal(`The user ${who} is gone already.`);
}
